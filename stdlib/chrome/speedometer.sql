-- Speedometer, whichever version ran.

INCLUDE PERFETTO MODULE chrome.speedometer_2_1;
INCLUDE PERFETTO MODULE chrome.speedometer_3;

CREATE PERFETTO FUNCTION _is_speedometer_3() RETURNS BOOL AS
SELECT (SELECT count(*) FROM chrome_speedometer_3_measure)
  > (SELECT count(*) FROM chrome_speedometer_2_1_measure);

CREATE PERFETTO TABLE chrome_speedometer_measure(
  ts TIMESTAMP, dur DURATION, name STRING, iteration LONG, suite_name STRING, test_name STRING,
  measure_type STRING
) AS
SELECT ts, dur, name, iteration, suite_name, test_name, measure_type
FROM chrome_speedometer_3_measure
WHERE _is_speedometer_3()
UNION ALL
SELECT ts, dur, name, iteration, suite_name, test_name, measure_type
FROM chrome_speedometer_2_1_measure
WHERE NOT _is_speedometer_3();

CREATE PERFETTO TABLE chrome_speedometer_iteration(
  ts TIMESTAMP, dur DURATION, name STRING, iteration LONG, geomean DOUBLE, score DOUBLE
) AS
SELECT ts, dur, name, iteration, geomean, score
FROM chrome_speedometer_3_iteration
WHERE _is_speedometer_3()
UNION ALL
SELECT ts, dur, name, iteration, geomean, score
FROM chrome_speedometer_2_1_iteration
WHERE NOT _is_speedometer_3();

CREATE PERFETTO FUNCTION chrome_speedometer_score() RETURNS DOUBLE AS
SELECT iif(_is_speedometer_3(), chrome_speedometer_3_score(), chrome_speedometer_2_1_score());

CREATE PERFETTO FUNCTION chrome_speedometer_renderer_main_utid() RETURNS LONG AS
SELECT iif(_is_speedometer_3(), chrome_speedometer_3_renderer_main_utid(),
  chrome_speedometer_2_1_renderer_main_utid());
