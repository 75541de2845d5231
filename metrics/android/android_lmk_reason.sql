-- What memory processes and ION's heaps held when the low memory killer struck.
INCLUDE PERFETTO MODULE android.memory.lmk;
SELECT run_metric('android/process_metadata.sql');
SELECT run_metric('android/process_memory_spans.sql');

CREATE OR REPLACE PERFETTO TABLE _lmk AS
SELECT row_number() OVER (ORDER BY ts) AS id, ts, oom_score_adj FROM android_lmk_events;

CREATE OR REPLACE PERFETTO TABLE _memory_at_lmk AS
SELECT
  l.id, m.upid, s.score,
  CAST(m.anon_rss AS INT) AS anon_rss,
  CAST(m.file_rss AS INT) AS file_rss,
  CAST(m.shmem_rss AS INT) AS shmem_rss,
  CAST(ifnull(m.swap, 0) AS INT) AS swap
FROM _lmk AS l
JOIN memory_rss_and_swap_per_process AS m ON m.ts <= l.ts AND m.ts + m.dur > l.ts
LEFT JOIN _oom_score_span AS s
  ON s.upid = m.upid AND s.ts <= l.ts AND s.ts + s.dur > l.ts;

CREATE OR REPLACE PERFETTO FUNCTION _processes_at_lmk(id LONG)
RETURNS BYTES AS
SELECT RepeatedField(AndroidLmkReasonMetric_Process(
  'process', process_metadata_proto(upid),
  'oom_score_adj', score,
  'size', size,
  'file_rss_bytes', file_rss,
  'anon_rss_bytes', anon_rss,
  'shmem_rss_bytes', shmem_rss,
  'swap_bytes', swap))
FROM (
  SELECT *, ifnull(anon_rss, 0) + ifnull(file_rss, 0) + ifnull(shmem_rss, 0) + swap AS size
  FROM _memory_at_lmk
  WHERE id = $id
  ORDER BY size DESC, upid
);

CREATE OR REPLACE PERFETTO FUNCTION _counter_at(name STRING, ts LONG)
RETURNS LONG AS
SELECT CAST(c.value AS INT)
FROM counter AS c
JOIN track AS t ON t.id = c.track_id
WHERE t.name = $name AND c.ts <= $ts
ORDER BY c.ts DESC
LIMIT 1;

CREATE OR REPLACE PERFETTO VIEW android_lmk_reason_output AS
SELECT AndroidLmkReasonMetric(
  'lmks', (
    SELECT RepeatedField(AndroidLmkReasonMetric_Lmk(
      'oom_score_adj', oom_score_adj,
      'ion_heaps_bytes', _counter_at('mem.ion', ts),
      'system_ion_heap_size', _counter_at('mem.ion[system]', ts),
      'processes', _processes_at_lmk(id)))
    FROM _lmk
  )
) AS message;
