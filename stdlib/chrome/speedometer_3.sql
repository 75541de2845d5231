-- Speedometer 3. Its measures are called "<suite>.<test>-sync" and "<suite>.<test>-async".

CREATE PERFETTO TABLE _speedometer_3_iterations(
  ts TIMESTAMP, dur DURATION, name STRING, iteration LONG
) AS
SELECT ts, dur, name, CAST(substr(name, length('iteration-') + 1) AS INTEGER) AS iteration
FROM slice
WHERE category = 'blink.user_timing' AND name GLOB 'iteration-*'
  AND name NOT GLOB 'iteration-*[^0-9]*' AND name <> 'iteration-';

-- Suites that end in -TodoMVC are those of version 2.1.
CREATE PERFETTO TABLE chrome_speedometer_3_measure(
  ts TIMESTAMP, dur DURATION, name STRING, iteration LONG, suite_name STRING, test_name STRING,
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

-- Milliseconds of the suites, averaged geometrically, and the score that follows.
CREATE PERFETTO TABLE chrome_speedometer_3_iteration(
  ts TIMESTAMP, dur DURATION, name STRING, iteration LONG, geomean DOUBLE, score DOUBLE
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

CREATE PERFETTO FUNCTION chrome_speedometer_3_score() RETURNS DOUBLE AS
SELECT avg(score) FROM chrome_speedometer_3_iteration;

CREATE PERFETTO FUNCTION chrome_speedometer_3_renderer_main_utid() RETURNS LONG AS
SELECT t.utid
FROM slice AS s
JOIN thread_track AS t ON t.id = s.track_id
WHERE s.category = 'blink.user_timing' AND s.name GLOB '*.*-start'
  AND substr(s.name, 1, length(s.name) - length('-start')) IN (
    SELECT suite_name || '.' || test_name FROM chrome_speedometer_3_measure)
LIMIT 1;
