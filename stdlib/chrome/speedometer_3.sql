-- Speedometer 3. Its measures are called "<suite>.<test>-sync" and "<suite>.<test>-async".

CREATE PERFETTO TABLE _speedometer_3_iterations(
  ts TIMESTAMP, dur DURATION, name STRING, iteration LONG
) AS
SELECT ts, dur, name, CAST(substr(name, length('iteration-') + 1) AS INTEGER) AS iteration
FROM slice
WHERE category = 'blink.user_timing' AND name GLOB 'iteration-*'
  AND name NOT GLOB 'iteration-*[^0-9]*' AND name <> 'iteration-';

-- Each measure of a test. Suites that end in -TodoMVC are those of version 2.1.
CREATE PERFETTO TABLE chrome_speedometer_3_measure(
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
SELECT s.ts, s.dur, s.name, i.iteration, substr(s.name, 1, instr(s.name, '.') - 1) AS suite_name,
  substr(s.name, instr(s.name, '.') + 1,
    length(s.name) - instr(s.name, '.') - iif(s.name GLOB '*-sync', 5, 6)) AS test_name,
  iif(s.name GLOB '*-sync', 'sync', 'async') AS measure_type
FROM slice AS s
JOIN _speedometer_3_iterations AS i ON s.ts >= i.ts AND s.ts < i.ts + i.dur
WHERE s.category = 'blink.user_timing' AND (s.name GLOB '*.*-sync' OR s.name GLOB '*.*-async')
  AND s.name NOT GLOB '*-TodoMVC.*'
ORDER BY s.ts;

-- Each iteration with its score.
CREATE PERFETTO TABLE chrome_speedometer_3_iteration(
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
SELECT i.ts, i.dur, i.name, i.iteration, exp(avg(ln(suite.ms))) AS geomean,
  1000 / exp(avg(ln(suite.ms))) AS score
FROM _speedometer_3_iterations AS i
JOIN (
  SELECT iteration, suite_name, sum(dur) / 1e6 AS ms
  FROM chrome_speedometer_3_measure
  GROUP BY iteration, suite_name
) AS suite USING (iteration)
GROUP BY i.iteration, i.ts;

-- Score of the whole run: the mean of its iterations.
CREATE PERFETTO FUNCTION chrome_speedometer_3_score() RETURNS DOUBLE AS
SELECT avg(score) FROM chrome_speedometer_3_iteration;

-- Main thread of the renderer that ran the tests, joins thread.utid.
CREATE PERFETTO FUNCTION chrome_speedometer_3_renderer_main_utid() RETURNS LONG AS
SELECT t.utid
FROM slice AS s
JOIN thread_track AS t ON t.id = s.track_id
WHERE s.category = 'blink.user_timing' AND s.name GLOB '*.*-start'
  AND substr(s.name, 1, length(s.name) - length('-start')) IN (
    SELECT suite_name || '.' || test_name FROM chrome_speedometer_3_measure)
LIMIT 1;
