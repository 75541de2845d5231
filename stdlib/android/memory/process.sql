-- Memory of processes together with how dispensable they were to the system.

INCLUDE PERFETTO MODULE android.oom_adjuster;
INCLUDE PERFETTO MODULE linux.memory.process;

CREATE PERFETTO VIEW _oom_spans AS
SELECT ts, dur, upid, score, oom_adj_id FROM _oom_scores WHERE dur > 0;

CREATE PERFETTO VIEW _memory_spans AS
SELECT ts, dur, upid, anon_rss, file_rss, shmem_rss, rss, swap, anon_rss_and_swap, rss_and_swap
FROM memory_rss_and_swap_per_process
WHERE dur > 0;

CREATE VIRTUAL TABLE _oom_memory_spans USING SPAN_JOIN(
  _oom_spans PARTITIONED upid, _memory_spans PARTITIONED upid
);

CREATE PERFETTO TABLE memory_oom_score_with_rss_and_swap_per_process(
  ts TIMESTAMP, dur DURATION, score LONG, bucket STRING, upid JOINID(process.id),
  process_name STRING, pid LONG, oom_adj_id JOINID(slice.id), oom_adj_ts TIMESTAMP,
  oom_adj_dur DURATION, oom_adj_track_id JOINID(track.id), oom_adj_thread_name STRING,
  oom_adj_reason STRING, oom_adj_trigger STRING, anon_rss LONG, file_rss LONG, shmem_rss LONG,
  rss LONG, swap LONG, anon_rss_and_swap LONG, rss_and_swap LONG
) AS
SELECT s.ts, s.dur, s.score, android_oom_adj_score_to_bucket_name(s.score) AS bucket, s.upid,
  p.name AS process_name, p.pid, a.id AS oom_adj_id, a.ts AS oom_adj_ts, a.dur AS oom_adj_dur,
  a.track_id AS oom_adj_track_id, a.thread_name AS oom_adj_thread_name,
  a.reason AS oom_adj_reason, a.trigger AS oom_adj_trigger, s.anon_rss, s.file_rss, s.shmem_rss,
  s.rss, s.swap, s.anon_rss_and_swap, s.rss_and_swap
FROM _oom_memory_spans AS s
JOIN process AS p ON p.upid = s.upid
LEFT JOIN _oom_adjustments AS a ON a.id = s.oom_adj_id;
