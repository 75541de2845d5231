-- Memory of processes over time.

-- The newest value of each counter at every moment at which one of them was read.
CREATE PERFETTO TABLE _memory_of_processes(
  ts TIMESTAMP, dur DURATION, upid JOINID(process.id), anon_rss LONG, file_rss LONG,
  shmem_rss LONG, swap LONG
) AS
WITH readings AS (
  SELECT t.upid, c.ts, max(iif(t.name = 'mem.rss.anon', c.value, NULL)) AS anon,
    max(iif(t.name = 'mem.rss.file', c.value, NULL)) AS file,
    max(iif(t.name = 'mem.rss.shmem', c.value, NULL)) AS shmem,
    max(iif(t.name = 'mem.swap', c.value, NULL)) AS swap
  FROM process_counter_track AS t
  JOIN counter AS c ON c.track_id = t.id
  WHERE t.name IN ('mem.rss.anon', 'mem.rss.file', 'mem.rss.shmem', 'mem.swap')
  GROUP BY t.upid, c.ts
)
SELECT ts, coalesce(lead(ts) OVER by_process, trace_end()) - ts AS dur, upid,
  CAST(last_non_null(anon) OVER by_process AS INTEGER) AS anon_rss,
  CAST(last_non_null(file) OVER by_process AS INTEGER) AS file_rss,
  CAST(last_non_null(shmem) OVER by_process AS INTEGER) AS shmem_rss,
  CAST(last_non_null(swap) OVER by_process AS INTEGER) AS swap
FROM readings
WINDOW by_process AS (PARTITION BY upid ORDER BY ts);

-- Sums count as zero what many processes never have: shared memory and swap. They are NULL until
-- the other counters have been read.
CREATE PERFETTO VIEW memory_rss_and_swap_per_process(
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
  -- Resident anonymous memory, bytes.
  anon_rss LONG,
  -- Resident pages of files, bytes.
  file_rss LONG,
  -- Resident shared memory, bytes.
  shmem_rss LONG,
  -- anon_rss, file_rss and shmem_rss together, bytes.
  rss LONG,
  -- Anonymous memory that was swapped out, bytes.
  swap LONG,
  -- Sum of anon_rss and swap, bytes.
  anon_rss_and_swap LONG,
  -- Sum of rss and swap, bytes.
  rss_and_swap LONG
) AS
SELECT m.ts, m.dur, m.upid, process.pid, process.name AS process_name, anon_rss, file_rss,
  shmem_rss, anon_rss + file_rss + coalesce(shmem_rss, 0) AS rss, swap,
  anon_rss + coalesce(swap, 0) AS anon_rss_and_swap,
  anon_rss + file_rss + coalesce(shmem_rss, 0) + coalesce(swap, 0) AS rss_and_swap
FROM _memory_of_processes AS m
JOIN process USING (upid);
