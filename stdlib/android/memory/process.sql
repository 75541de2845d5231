-- Memory of processes together with how dispensable they were to the system.

INCLUDE PERFETTO MODULE android.oom_adjuster;
INCLUDE PERFETTO MODULE linux.memory.process;

CREATE VIRTUAL TABLE _oom_memory_spans USING SPAN_OUTER_JOIN(
  android_oom_adj_intervals PARTITIONED upid, _memory_rss_and_swap_per_process_table PARTITIONED upid
);

-- Memory and oom_score_adj of each process, cut where any of them changes. Sizes are in bytes; what
-- is not known at a time is NULL.
CREATE PERFETTO TABLE memory_oom_score_with_rss_and_swap_per_process(
  -- When the interval begins.
  ts TIMESTAMP,
  -- How long the interval lasts.
  dur DURATION,
  -- oom_score_adj of the process.
  score LONG,
  -- What android_oom_adj_score_to_bucket_name calls `score`.
  bucket STRING,
  -- The process.
  upid JOINID(process.id),
  -- Name of the process; NULL while its oom_score_adj is not known.
  process_name STRING,
  -- Pid of the process.
  pid LONG,
  -- Slice in which system_server last computed scores before this one changed; NULL if not traced.
  oom_adj_id JOINID(slice.id),
  -- When the slice of `oom_adj_id` began.
  oom_adj_ts TIMESTAMP,
  -- How long the slice of `oom_adj_id` lasted.
  oom_adj_dur DURATION,
  -- Track of the slice of `oom_adj_id`.
  oom_adj_track_id JOINID(track.id),
  -- Name of the thread that computed the scores.
  oom_adj_thread_name STRING,
  -- Why system_server computed the scores.
  oom_adj_reason STRING,
  -- Name of the slice that made system_server compute the scores.
  oom_adj_trigger STRING,
  -- Resident anonymous memory.
  anon_rss LONG,
  -- Resident pages of files.
  file_rss LONG,
  -- Resident shared memory.
  shmem_rss LONG,
  -- Sum of `anon_rss`, `file_rss` and `shmem_rss`.
  rss LONG,
  -- Swapped out memory.
  swap LONG,
  -- Sum of `anon_rss` and `swap`.
  anon_rss_and_swap LONG,
  -- Sum of `rss` and `swap`.
  rss_and_swap LONG
) AS
SELECT s.ts, s.dur, s.score, s.bucket, s.upid, s.process_name, p.pid, s.oom_adj_id, s.oom_adj_ts,
  s.oom_adj_dur, s.oom_adj_track_id, s.oom_adj_thread_name, s.oom_adj_reason, s.oom_adj_trigger,
  s.anon_rss, s.file_rss, s.shmem_rss, s.file_rss + s.anon_rss + coalesce(s.shmem_rss, 0) AS rss,
  s.swap, s.anon_rss + coalesce(s.swap, 0) AS anon_rss_and_swap,
  s.anon_rss + s.file_rss + coalesce(s.shmem_rss, 0) + coalesce(s.swap, 0) AS rss_and_swap
FROM _oom_memory_spans AS s
JOIN process AS p ON p.upid = s.upid;
