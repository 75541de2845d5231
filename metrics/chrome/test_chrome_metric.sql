-- A metric for tests of metrics.
CREATE OR REPLACE PERFETTO VIEW test_chrome_metric_output AS
SELECT TestChromeMetric('test_value', 1) AS message;
