-- What memory processes and ION held when the low memory killer struck a process of known score.
SELECT run_metric('android/lmk_kills.sql');
SELECT run_metric('android/process_metadata.sql');
SELECT run_metric('android/buffer_memory.sql', 'size', 'mem.ion', 'change', 'mem.ion_change');

CREATE OR REPLACE PERFETTO TABLE _memory_at_lmk AS
SELECT
  l.ts,
  m.upid,
  CAST(ifnull(m.anon_rss, 0) AS INT) AS anon_rss,
  CAST(ifnull(m.file_rss, 0) AS INT) AS file_rss,
  CAST(ifnull(m.shmem_rss, 0) AS INT) AS shmem_rss,
  CAST(ifnull(m.swap, 0) AS INT) AS swap,
  (
    SELECT s.score FROM _oom_score_span AS s
    WHERE s.upid = m.upid AND s.ts <= l.ts AND s.ts + s.dur > l.ts
  ) AS score
FROM (SELECT DISTINCT ts FROM _lmk WHERE score IS NOT NULL) AS l
JOIN memory_rss_and_swap_per_process AS m ON m.ts <= l.ts AND m.ts + m.dur > l.ts;

-- What the old kernels call mem.ion is all of ION; newer ones only count heaps, of which system is the one that matters.
CREATE OR REPLACE PERFETTO FUNCTION _ion_at(ts LONG)
RETURNS LONG AS
SELECT CAST(value AS INT) FROM _buffer_size
WHERE ts <= $ts
  AND name IS iif((SELECT count(*) FROM _buffer_size WHERE name IS NULL), NULL, 'system')
ORDER BY ts DESC
LIMIT 1;

CREATE OR REPLACE PERFETTO VIEW android_lmk_reason_output AS
SELECT AndroidLmkReasonMetric(
  'lmks', (
    SELECT RepeatedField(AndroidLmkReasonMetric_Lmk(
      'oom_score_adj', score,
      'ion_heaps_bytes', _ion_at(ts),
      'system_ion_heap_size', _ion_at(ts),
      'processes', (
        SELECT RepeatedField(AndroidLmkReasonMetric_Process(
          'process', process_metadata_proto(m.upid),
          'oom_score_adj', m.score,
          'size', m.anon_rss + m.file_rss + m.shmem_rss + m.swap,
          'file_rss_bytes', m.file_rss,
          'anon_rss_bytes', m.anon_rss,
          'shmem_rss_bytes', m.shmem_rss,
          'swap_bytes', m.swap))
        FROM (SELECT * FROM _memory_at_lmk ORDER BY upid) AS m
        WHERE m.ts = l.ts
      )))
    FROM _lmk AS l
    WHERE score IS NOT NULL
  )
) AS message;
