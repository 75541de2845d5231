-- Memory of processes, as spans in which nothing changes, and the OOM adjuster's score meanwhile.
INCLUDE PERFETTO MODULE linux.memory.process;
INCLUDE PERFETTO MODULE linux.memory.general;

CREATE OR REPLACE PERFETTO TABLE _memory_span AS
SELECT
  ts, dur, upid,
  CAST(anon_rss AS DOUBLE) AS anon_rss,
  CAST(file_rss AS DOUBLE) AS file_rss,
  CAST(swap AS DOUBLE) AS swap,
  CAST(anon_rss_and_swap AS DOUBLE) AS anon_and_swap
FROM memory_rss_and_swap_per_process
WHERE dur > 0;

CREATE OR REPLACE PERFETTO TABLE _java_heap_span AS
SELECT ts, dur, upid, value * 1024.0 AS java_heap
FROM _all_counters_per_process
WHERE name = 'Heap size (KB)' AND dur > 0;

CREATE OR REPLACE PERFETTO TABLE _oom_score_span AS
SELECT ts, dur, upid, CAST(value AS INT) AS score
FROM _all_counters_per_process
WHERE name = 'oom_score_adj' AND dur > 0;

DROP TABLE IF EXISTS _memory_with_score;
CREATE VIRTUAL TABLE _memory_with_score
USING SPAN_LEFT_JOIN(_memory_span PARTITIONED upid, _oom_score_span PARTITIONED upid);

DROP TABLE IF EXISTS _java_heap_with_score;
CREATE VIRTUAL TABLE _java_heap_with_score
USING SPAN_LEFT_JOIN(_java_heap_span PARTITIONED upid, _oom_score_span PARTITIONED upid);

-- One value a row.
CREATE OR REPLACE PERFETTO TABLE _memory_value AS
WITH value AS (
  SELECT ts, dur, upid, score, 'anon_rss' AS kind, anon_rss AS value FROM _memory_with_score
  UNION ALL
  SELECT ts, dur, upid, score, 'file_rss', file_rss FROM _memory_with_score
  UNION ALL
  SELECT ts, dur, upid, score, 'swap', swap FROM _memory_with_score
  UNION ALL
  SELECT ts, dur, upid, score, 'anon_and_swap', anon_and_swap FROM _memory_with_score
  UNION ALL
  SELECT ts, dur, upid, score, 'java_heap', java_heap FROM _java_heap_with_score
)
SELECT v.*, p.name AS process_name
FROM value AS v
JOIN process AS p USING (upid)
WHERE v.value IS NOT NULL AND p.name IS NOT NULL;
