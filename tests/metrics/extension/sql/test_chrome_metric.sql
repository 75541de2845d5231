SELECT run_metric('mine/part.sql', 'name', '_part', 'value', '41');
CREATE OR REPLACE PERFETTO VIEW test_chrome_metric_output AS
SELECT TestChromeMetric('test_value', value + 1) AS message FROM _part;
