-- The most memory that processes had resident up to each moment.

INCLUDE PERFETTO MODULE counters.intervals;
INCLUDE PERFETTO MODULE linux.memory.process;

CREATE PERFETTO TABLE _memory_rss_high_watermark_per_process_table AS
SELECT ts, dur, track_id AS upid, CAST(value AS INTEGER) AS rss_high_watermark
FROM counter_leading_intervals!((
  SELECT 0 AS id, ts, upid AS track_id, max(coalesce(anon_rss, 0) + coalesce(file_rss, 0)
    + coalesce(shmem_rss, 0)) OVER (PARTITION BY upid ORDER BY ts) AS value
  FROM _memory_rss_and_swap_per_process_table
));

-- Each time that the largest value so far stayed the same.
CREATE PERFETTO VIEW memory_rss_high_watermark_per_process(
  -- Start, ns of trace time.
  ts TIMESTAMP,
  -- Duration, ns.
  dur DURATION,
  -- Process, joins process.
  upid JOINID(process.id),
  -- Process id of the operating system.
  pid LONG,
  -- Name of the process.
  process_name STRING,
  -- Most resident memory so far (anonymous, files and shared), bytes.
  rss_high_watermark LONG
) AS
SELECT m.ts, m.dur, m.upid, process.pid, process.name AS process_name, m.rss_high_watermark
FROM _memory_rss_high_watermark_per_process_table AS m
JOIN process USING (upid);
