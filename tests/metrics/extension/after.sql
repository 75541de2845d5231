SELECT x FROM before;
SELECT count(*) AS n FROM test_chrome_metric_output;
