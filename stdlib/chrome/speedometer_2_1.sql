-- Speedometer 2.1. Each test makes the marks "<suite>-TodoMVC.<test>-start", "-sync-end" and
-- "-async-end", once an iteration.

CREATE PERFETTO TABLE _speedometer_2_1_marks(
  ts TIMESTAMP, track_id JOINID(track.id), test STRING, mark STRING, iteration LONG
) AS
SELECT ts, track_id, substr(name, 1, length(name) - length(mark)) AS test, mark,
  rank() OVER (PARTITION BY name ORDER BY ts) AS iteration
FROM (
  SELECT ts, track_id, name, CASE
    WHEN name GLOB '*-start' THEN '-start'
    WHEN name GLOB '*-async-end' THEN '-async-end'
    WHEN name GLOB '*-sync-end' THEN '-sync-end'
    ELSE NULL END AS mark
  FROM slice
  WHERE category = 'blink.user_timing' AND name GLOB '*-TodoMVC.*-*'
)
WHERE mark IS NOT NULL;

-- Each measure of a test.
CREATE PERFETTO TABLE chrome_speedometer_2_1_measure(
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
WITH tests AS (
  SELECT test, iteration, max(iif(mark = '-start', ts, NULL)) AS start,
    max(iif(mark = '-sync-end', ts, NULL)) AS sync_end,
    max(iif(mark = '-async-end', ts, NULL)) AS async_end
  FROM _speedometer_2_1_marks
  GROUP BY test, iteration
  HAVING start IS NOT NULL AND sync_end IS NOT NULL AND async_end IS NOT NULL
),
measures AS (
  SELECT test, iteration, start AS ts, sync_end - start AS dur, 'sync' AS type FROM tests
  UNION ALL
  SELECT test, iteration, sync_end, async_end - sync_end, 'async' FROM tests
)
SELECT ts, dur, test || '-' || type AS name, iteration,
  substr(test, 1, instr(test, '.') - 1) AS suite_name,
  substr(test, instr(test, '.') + 1) AS test_name, type AS measure_type
FROM measures;

-- No mark tells when an iteration starts and ends: its first and last measure do. Milliseconds of
-- the suites are averaged geometrically.
CREATE PERFETTO TABLE chrome_speedometer_2_1_iteration(
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
SELECT min(start) AS ts, max(end) - min(start) AS dur, 'iteration-' || iteration AS name,
  iteration, exp(avg(ln(ms))) AS geomean, 1000 / exp(avg(ln(ms))) * 60 / 3 AS score
FROM (
  SELECT iteration, min(ts) AS start, max(ts + dur) AS end, sum(dur) / 1e6 AS ms
  FROM chrome_speedometer_2_1_measure
  GROUP BY iteration, suite_name
)
GROUP BY iteration;

-- Score of the whole run: the mean of its iterations.
CREATE PERFETTO FUNCTION chrome_speedometer_2_1_score() RETURNS DOUBLE AS
SELECT avg(score) FROM chrome_speedometer_2_1_iteration;

-- Main thread of the renderer that ran the tests, joins thread.utid.
CREATE PERFETTO FUNCTION chrome_speedometer_2_1_renderer_main_utid() RETURNS LONG AS
SELECT t.utid
FROM _speedometer_2_1_marks AS m
JOIN thread_track AS t ON t.id = m.track_id
LIMIT 1;
