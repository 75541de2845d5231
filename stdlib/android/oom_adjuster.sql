-- How dispensable processes were to the system, and why that changed.

INCLUDE PERFETTO MODULE counters.intervals;
INCLUDE PERFETTO MODULE slices.with_context;

-- A coarse name for an oom_score_adj.
CREATE PERFETTO FUNCTION android_oom_adj_score_to_bucket_name(
  -- The score, from -1000 (kept) to 1000 (killed first).
  oom_score LONG
)
-- `system`, `foreground`, `bfgs`, `foreground_service`, `job`, `background` or `cached`; NULL for
-- NULL.
RETURNS STRING AS
SELECT CASE
  WHEN $oom_score < 0 THEN 'system'
  WHEN $oom_score < 100 THEN 'foreground'
  WHEN $oom_score < 200 THEN 'bfgs'
  WHEN $oom_score = 200 THEN 'foreground_service'
  WHEN $oom_score < 250 THEN 'job'
  WHEN $oom_score < 900 THEN 'background'
  WHEN $oom_score >= 900 THEN 'cached'
END;

-- A name for an oom_score_adj: that of the system's constant, between two the next lower one's.
CREATE PERFETTO FUNCTION android_oom_adj_score_to_detailed_bucket_name(
  -- The score, from -1000 (kept) to 1000 (killed first).
  value LONG,
  -- App id of the process, which tells apps from system services where the score does not.
  android_appid LONG
)
-- The name, e.g. `visible_app`, or one that begins with `unknown`.
RETURNS STRING AS
SELECT CASE
  WHEN $value = -1000 THEN 'native'
  WHEN $value = -900 THEN 'system'
  WHEN $value = -800 THEN 'persistent_proc'
  WHEN $value = -700 THEN 'persistent_service'
  WHEN $value = -600 THEN 'logcat'
  WHEN $value = 0 THEN 'foreground_app'
  WHEN $value = 50 THEN 'perceptible_foreground_app'
  WHEN $value < 100 OR $value IS NULL THEN CASE
    WHEN $android_appid < 10000 THEN 'unknown_native'
    WHEN $android_appid IS NULL THEN 'unknown'
    ELSE 'unknown_app'
  END
  WHEN $value < 200 THEN 'visible_app'
  WHEN $value < 225 THEN 'perceptible_app'
  WHEN $value < 250 THEN 'perceptible_medium_app'
  WHEN $value < 300 THEN 'perceptible_low_app'
  WHEN $value < 400 THEN 'backup'
  WHEN $value < 500 THEN 'heavy_weight_app'
  WHEN $value < 600 THEN 'service'
  WHEN $value < 700 THEN 'home_app'
  WHEN $value < 800 THEN 'previous_app'
  WHEN $value < 900 THEN 'service_b'
  WHEN $value < 950 THEN 'cached_app'
  ELSE 'cached_app_lmk_first'
END;

-- system_server computes the scores in updateOomAdj_REASON; what called it, if that has ended, is
-- the trigger.
CREATE PERFETTO TABLE _oom_adjustments AS
SELECT s.id, s.ts, s.dur, s.track_id, s.thread_name, str_split(s.name, '_', 1) AS reason,
  trigger.name AS trigger, lead(s.ts) OVER (ORDER BY s.ts) AS next_ts
FROM thread_slice AS s
LEFT JOIN slice AS trigger ON trigger.id = s.parent_id AND trigger.dur <> -1
WHERE s.name GLOB 'updateOomAdj_*' AND s.process_name = 'system_server'
ORDER BY s.ts;

CREATE PERFETTO TABLE _oom_scores AS
SELECT c.ts, c.dur, CAST(c.value AS INTEGER) AS score, t.upid, (
    SELECT a.id FROM _oom_adjustments AS a WHERE a.ts <= c.ts ORDER BY a.ts DESC LIMIT 1
  ) AS oom_adj_id
FROM counter_leading_intervals!((
  SELECT counter.id, counter.ts, counter.track_id, counter.value
  FROM process_counter_track AS t
  JOIN counter ON counter.track_id = t.id
  WHERE t.type = 'oom_score_adj'
)) AS c
JOIN process_counter_track AS t ON t.id = c.track_id;

-- One row per interval in which the oom_score_adj of a process did not change.
CREATE PERFETTO VIEW android_oom_adj_intervals(
  -- When the score was set.
  ts TIMESTAMP,
  -- How long the score stayed.
  dur DURATION,
  -- oom_score_adj of the process.
  score LONG,
  -- What android_oom_adj_score_to_bucket_name calls `score`.
  bucket STRING,
  -- The process.
  upid JOINID(process.id),
  -- Name of the process.
  process_name STRING,
  -- Slice in which system_server last computed scores before this one was set (joins slice.id);
  -- NULL if not traced.
  oom_adj_id LONG,
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
  oom_adj_trigger STRING
) AS
SELECT s.ts, s.dur, s.score, android_oom_adj_score_to_bucket_name(s.score) AS bucket, s.upid,
  p.name AS process_name, a.id AS oom_adj_id, a.ts AS oom_adj_ts, a.dur AS oom_adj_dur,
  a.track_id AS oom_adj_track_id, a.thread_name AS oom_adj_thread_name,
  a.reason AS oom_adj_reason, a.trigger AS oom_adj_trigger
FROM _oom_scores AS s
JOIN process AS p ON p.upid = s.upid
LEFT JOIN _oom_adjustments AS a ON a.id = s.oom_adj_id;
