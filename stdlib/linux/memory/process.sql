-- Memory of processes over time.

INCLUDE PERFETTO MODULE linux.memory.general;

CREATE PERFETTO MACRO _memory_spans_of(counter Expr, column ColumnName) RETURNS TableOrSubquery AS (
  SELECT ts, dur, upid, value AS $column
  FROM _all_counters_per_process
  WHERE name = $counter
);

CREATE PERFETTO VIEW _anon_rss AS SELECT * FROM _memory_spans_of!('mem.rss.anon', anon_rss_val);
CREATE PERFETTO VIEW _file_rss AS SELECT * FROM _memory_spans_of!('mem.rss.file', file_rss_val);
CREATE PERFETTO VIEW _shmem_rss AS SELECT * FROM _memory_spans_of!('mem.rss.shmem', shmem_rss_val);
CREATE PERFETTO VIEW _swap AS SELECT * FROM _memory_spans_of!('mem.swap', swap_val);

CREATE VIRTUAL TABLE _anon_and_swap_spans USING SPAN_OUTER_JOIN(
  _anon_rss PARTITIONED upid, _swap PARTITIONED upid
);
CREATE VIRTUAL TABLE _anon_swap_and_file_spans USING SPAN_OUTER_JOIN(
  _anon_and_swap_spans PARTITIONED upid, _file_rss PARTITIONED upid
);
CREATE VIRTUAL TABLE _rss_and_swap_spans USING SPAN_OUTER_JOIN(
  _anon_swap_and_file_spans PARTITIONED upid, _shmem_rss PARTITIONED upid
);

-- The counters of each process side by side, from each moment at which one of them was read on.
CREATE PERFETTO TABLE _memory_rss_and_swap_per_process_table(
  ts TIMESTAMP, dur DURATION, upid JOINID(process.id), anon_rss LONG, file_rss LONG,
  shmem_rss LONG, swap LONG
) AS
SELECT ts, dur, upid, CAST(anon_rss_val AS INTEGER) AS anon_rss,
  CAST(file_rss_val AS INTEGER) AS file_rss, CAST(shmem_rss_val AS INTEGER) AS shmem_rss,
  CAST(swap_val AS INTEGER) AS swap
FROM _rss_and_swap_spans;

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
FROM _memory_rss_and_swap_per_process_table AS m
JOIN process USING (upid);
