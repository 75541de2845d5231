-- Speedometer, whichever version ran.

INCLUDE PERFETTO MODULE chrome.speedometer_2_1;
INCLUDE PERFETTO MODULE chrome.speedometer_3;

CREATE PERFETTO FUNCTION _is_speedometer_3() RETURNS BOOL AS
SELECT (SELECT count(*) FROM chrome_speedometer_3_measure)
  > (SELECT count(*) FROM chrome_speedometer_2_1_measure);

-- Each measure of a test.
CREATE PERFETTO TABLE chrome_speedometer_measure(
  -- Start, ns of trace time.
  ts TIMESTAMP,
  -- Duration, ns.
  dur DURATION,
  -- Name of suite, test and kind of measure.
  name STRING,
  -- Number of the benchmark's iteration.
  iteration LONG,
  -- Suite that the test is part of.
  suite_name STRING,
  -- Test within the suite.
  test_name STRING,
  -- sync or async.
  measure_type STRING
) AS
SELECT ts, dur, name, iteration, suite_name, test_name, measure_type
FROM chrome_speedometer_3_measure
WHERE _is_speedometer_3()
UNION ALL
SELECT ts, dur, name, iteration, suite_name, test_name, measure_type
FROM chrome_speedometer_2_1_measure
WHERE NOT _is_speedometer_3();

-- Each iteration with its score.
CREATE PERFETTO TABLE chrome_speedometer_iteration(
  -- Start, ns of trace time.
  ts TIMESTAMP,
  -- Duration, ns.
  dur DURATION,
  -- iteration- and its number.
  name STRING,
  -- Number of the benchmark's iteration.
  iteration LONG,
  -- Geometric mean of the suites' times, ms.
  geomean DOUBLE,
  -- Score, higher is better.
  score DOUBLE
) AS
SELECT ts, dur, name, iteration, geomean, score
FROM chrome_speedometer_3_iteration
WHERE _is_speedometer_3()
UNION ALL
SELECT ts, dur, name, iteration, geomean, score
FROM chrome_speedometer_2_1_iteration
WHERE NOT _is_speedometer_3();

-- Score of the whole run.
CREATE PERFETTO FUNCTION chrome_speedometer_score() RETURNS DOUBLE AS
SELECT iif(_is_speedometer_3(), chrome_speedometer_3_score(), chrome_speedometer_2_1_score());

-- Main thread of the renderer that ran the tests, joins thread.utid.
CREATE PERFETTO FUNCTION chrome_speedometer_renderer_main_utid() RETURNS LONG AS
SELECT iif(_is_speedometer_3(), chrome_speedometer_3_renderer_main_utid(),
  chrome_speedometer_2_1_renderer_main_utid());
