-- JetStream 3. Each benchmark runs several times: its slices are "<benchmark>-iteration-<number>".
-- A benchmark's score comes from its first time, the average of all others, and the average of its
-- slowest ones.

-- Of how many slow iterations the worst time is the average, where that is not 4.
CREATE PERFETTO TABLE _jetstream_3_worst_counts(pattern STRING, worst_count LONG) AS
SELECT column1 AS pattern, column2 AS worst_count
FROM (VALUES ('*-wtb', 2), ('*-intl', 1), ('cdjs', 3), ('typescript-octane', 2),
  ('json-stringify-inspector', 2), ('json-parse-inspector', 2), ('bigint-noble-bls12-381', 1),
  ('bigint-paillier', 2), ('bigint-bigdenary', 16), ('proxy-mobx', 12), ('mobx-startup', 3),
  ('jsdom-d3-startup', 2), ('async-fs', 6), ('sync-fs', 6), ('sqlite3-wasm', 2),
  ('Dart-flute-complex-wasm', 2), ('Dart-flute-todomvc-wasm', 2), ('Kotlin-compose-wasm', 1),
  ('transformersjs-whisper-wasm', 1), ('argon2-wasm', 3), ('segmentation', 3),
  ('8bitbench-wasm', 2), ('dotnet-interp-wasm', 2), ('dotnet-aot-wasm', 2));

-- The parts of benchmarks' scores. `subtest` is First, Average or Worst; what counts as Worst is
-- not listed again as Average. The benchmark WSL has parts with names of their own instead.
CREATE PERFETTO TABLE chrome_jetstream_3_measure(
  -- Slice of the iteration, joins slice.
  id LONG,
  -- Start, ns of trace time.
  ts TIMESTAMP,
  -- Duration, ns.
  dur DURATION,
  -- Name of the benchmark.
  name STRING,
  -- Group that the benchmark's score counts for, mostly itself.
  top_level_name STRING,
  -- Number of the benchmark's iteration.
  iteration LONG,
  -- Part of the benchmark's score that the iteration counts for.
  subtest STRING
) AS
WITH
  iterations AS (
    SELECT id, ts, dur, substr(name, 1, instr(name, '-iteration-') - 1) AS name,
      CAST(substr(name, instr(name, '-iteration-') + length('-iteration-')) AS INTEGER)
        AS iteration
    FROM slice
    WHERE category = 'blink.user_timing' AND name GLOB '?*-iteration-*' AND dur > 0
  ),
  ranked AS (
    SELECT *, rank() OVER (PARTITION BY name, iteration > 0 ORDER BY dur DESC) AS slowness
    FROM iterations
  )
SELECT id, ts, dur, name, CASE
    WHEN name GLOB '*-intl' THEN 'intl'
    WHEN name GLOB '*-SP' THEN 'Sunspider'
    ELSE name END AS top_level_name, iteration, CASE
    WHEN iteration = 0 THEN 'First'
    WHEN slowness <= coalesce((
      SELECT worst_count FROM _jetstream_3_worst_counts WHERE name GLOB pattern), 4) THEN 'Worst'
    ELSE 'Average' END AS subtest
FROM ranked
UNION ALL
SELECT id, ts, dur, 'WSL', 'WSL', 0, name
FROM slice
WHERE category = 'blink.user_timing' AND name GLOB 'WSL-*' AND dur > 0;

-- Scores are 5000 by the milliseconds; those of subtests, and those of a group's benchmarks, are
-- averaged geometrically.
CREATE PERFETTO TABLE chrome_jetstream_3_benchmark_score(
  -- Group of benchmarks, joins chrome_jetstream_3_measure.
  top_level_name STRING,
  -- Score, higher is better.
  score DOUBLE
) AS
WITH
  parts AS (
    SELECT top_level_name, name, subtest, dur FROM chrome_jetstream_3_measure
    UNION ALL
    SELECT top_level_name, name, 'Average', dur
    FROM chrome_jetstream_3_measure
    WHERE subtest = 'Worst'
  ),
  subtests AS (
    SELECT top_level_name, name, 5000 / (avg(dur) / 1e6) AS score
    FROM parts
    GROUP BY top_level_name, name, subtest
  ),
  benchmarks AS (
    SELECT top_level_name, exp(avg(ln(score))) AS score
    FROM subtests
    GROUP BY top_level_name, name
  )
SELECT top_level_name, exp(avg(ln(score))) AS score
FROM benchmarks
GROUP BY top_level_name;

-- Score of the whole run: the geometric mean of all groups' scores.
CREATE PERFETTO FUNCTION chrome_jetstream_3_score() RETURNS DOUBLE AS
SELECT exp(avg(ln(score))) FROM chrome_jetstream_3_benchmark_score;

-- Main threads of the renderers that ran benchmarks: where marks with their names are.
CREATE PERFETTO FUNCTION chrome_jetstream_3_renderer_main_utid() RETURNS TABLE(
  -- Thread, joins thread.utid.
  utid LONG
) AS
SELECT DISTINCT t.utid
FROM slice AS s
JOIN thread_track AS t ON t.id = s.track_id
WHERE s.category = 'blink.user_timing'
  AND s.name IN (SELECT name FROM chrome_jetstream_3_measure);
