-- Memory of processes by kind, and by how dispensable the process was meanwhile.

INCLUDE PERFETTO MODULE android.oom_adjuster;
INCLUDE PERFETTO MODULE counters.intervals;

CREATE PERFETTO TABLE _memory_tracks AS
SELECT t.id AS track_id, iif(t.name = 'Heap size (KB)', 'mem.heap', t.name) AS name, t.upid,
  p.name AS process_name, p.pid, p.start_ts, p.end_ts,
  p.parent_upid, coalesce(p.name IN ('zygote', 'zygote64'), FALSE) AS is_zygote
FROM process_counter_track AS t
JOIN process AS p USING (upid)
WHERE t.name IN ('mem.rss.anon', 'mem.rss.file', 'mem.rss.shmem', 'mem.swap', 'mem.dmabuf_rss',
  'mem.locked', 'Heap size (KB)', 'GPU Memory');

CREATE PERFETTO TABLE _memory_counters AS
SELECT c.id, c.ts, c.track_id,
  CAST(c.value AS INTEGER) * iif(t.name = 'mem.heap', 1024, 1) AS value
FROM _memory_tracks AS t
JOIN counter AS c USING (track_id);

-- Processes begin with the memory of the zygote that they were forked from, which is there only once.
CREATE PERFETTO TABLE _zygote_memory AS
SELECT t.upid, t.name, CAST(avg(CAST(c.value AS INTEGER)) AS INTEGER) AS value
FROM _memory_tracks AS t
JOIN _memory_counters AS c USING (track_id)
WHERE t.is_zygote AND t.name IN ('mem.rss.anon', 'mem.rss.file', 'mem.swap', 'mem.heap')
GROUP BY t.upid, t.name;

CREATE PERFETTO TABLE _memory_intervals AS
SELECT id, ts, dur, track_id, value, max(abs(coalesce(delta_value, 0)) > 104857600)
  OVER (PARTITION BY track_id) AS has_spike
FROM counter_leading_intervals!(_memory_counters);

-- One row per interval in which a memory counter of a process did not change. Counters of a process
-- that came or went are cut to its life. Changes of more than 100 MiB may be mistakes of the
-- kernel's accounting.
CREATE PERFETTO TABLE android_process_memory_intervals(
  -- The counter's value that begins the interval.
  id JOINID(counter.id),
  -- When the interval begins, not before the process.
  ts TIMESTAMP,
  -- How long the interval lasts, not beyond the process's end.
  dur DURATION,
  -- Name of the process.
  process_name STRING,
  -- The process.
  upid JOINID(process.upid),
  -- Pid of the process.
  pid JOINID(process.pid),
  -- What is counted: `mem.rss.anon`, `mem.rss.file`, `mem.rss.shmem`, `mem.swap`, `mem.dmabuf_rss`,
  -- `mem.locked`, `mem.heap` or `GPU Memory`.
  memory_track_name STRING,
  -- The counter's track.
  track_id JOINID(track.id),
  -- Bytes.
  value LONG,
  -- Bytes less what the zygote that is the process's parent has on average, never below 0; the same
  -- as `value` for zygotes and processes without such a parent.
  zygote_adjusted_value LONG,
  -- Whether the counter ever changes by more than 100 MiB at once.
  track_has_spike_gt_100mib BOOL
) AS
SELECT id, ts, ts_end - ts AS dur, process_name, upid, pid, memory_track_name, track_id, value,
  zygote_adjusted_value, track_has_spike_gt_100mib
FROM (
  SELECT i.id, max(i.ts, coalesce(t.start_ts, i.ts)) AS ts,
    min(i.ts + i.dur, coalesce(t.end_ts, i.ts + i.dur)) AS ts_end, t.process_name, t.upid, t.pid,
    t.name AS memory_track_name, i.track_id, i.value,
    iif(NOT t.is_zygote, max(0, CAST(i.value AS INTEGER) - coalesce(z.value, 0)),
      CAST(i.value AS INTEGER)) AS zygote_adjusted_value,
    i.has_spike AS track_has_spike_gt_100mib
  FROM _memory_intervals AS i
  JOIN _memory_tracks AS t USING (track_id)
  LEFT JOIN _zygote_memory AS z ON z.upid = t.parent_upid AND z.name = t.name
)
WHERE ts_end > ts;

CREATE PERFETTO VIEW _memory_track_buckets AS
SELECT o.ts, o.dur, t.track_id, android_oom_adj_score_to_bucket_name(o.score) AS bucket
FROM _oom_scores AS o
JOIN _memory_tracks AS t ON t.upid = o.upid
WHERE o.dur > 0;

CREATE VIRTUAL TABLE _memory_bucket_spans USING SPAN_LEFT_JOIN(
  android_process_memory_intervals PARTITIONED track_id, _memory_track_buckets PARTITIONED track_id
);

-- The rows of android_process_memory_intervals, cut where the process's oom_score_adj changes.
CREATE PERFETTO TABLE android_process_memory_intervals_by_oom_bucket(
  -- Number of the row.
  id LONG,
  -- When the part begins.
  ts TIMESTAMP,
  -- How long the part lasts.
  dur DURATION,
  -- Name of the process.
  process_name STRING,
  -- The process.
  upid JOINID(process.upid),
  -- Pid of the process.
  pid JOINID(process.pid),
  -- How dispensable the process was, as android_oom_adj_score_to_bucket_name calls it, or
  -- `unknown`.
  bucket STRING,
  -- What is counted: `mem.rss.anon`, `mem.rss.file`, `mem.rss.shmem`, `mem.swap`, `mem.dmabuf_rss`,
  -- `mem.locked`, `mem.heap` or `GPU Memory`.
  memory_track_name STRING,
  -- The counter's track.
  track_id JOINID(track.id),
  -- The counter's value.
  counter_id JOINID(counter.id),
  -- Bytes.
  value LONG,
  -- Bytes less what the zygote that is the process's parent has on average, never below 0; the same
  -- as `value` for zygotes and processes without such a parent.
  zygote_adjusted_value LONG,
  -- Whether the counter ever changes by more than 100 MiB at once.
  track_has_spike_gt_100mib BOOL
) AS
SELECT row_number() OVER () AS id, ts, dur, process_name, upid, pid,
  coalesce(bucket, 'unknown') AS bucket, memory_track_name, track_id, id AS counter_id, value,
  zygote_adjusted_value, track_has_spike_gt_100mib
FROM _memory_bucket_spans
WHERE dur > 0;

-- How dispensable processes were, for each of their counters.
CREATE PERFETTO VIEW _memory_breakdown_oom_intervals_prepared AS
SELECT t.track_id, o.ts, o.dur, o.bucket
FROM (SELECT DISTINCT track_id, upid FROM android_process_memory_intervals) AS t
JOIN android_oom_adj_intervals AS o USING (upid)
WHERE o.dur > 0;
