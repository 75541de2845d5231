-- Frames of each process: how many came late and why, and how long they took.
INCLUDE PERFETTO MODULE android.frames.jank_type;
SELECT run_metric('android/process_metadata.sql');

-- A frame may have several rows, one for each of its layers.
CREATE OR REPLACE PERFETTO TABLE _frame AS
SELECT
  upid,
  name AS frame,
  max(jank_type GLOB '*Dropped Frame*') AS is_dropped,
  max(android_is_missed_frame_type(jank_type)) AS is_missed,
  max(android_is_app_jank_type(jank_type)) AS is_app_missed,
  max(android_is_sf_jank_type(jank_type)) AS is_sf_missed,
  max(jank_score) AS score
FROM actual_frame_timeline_slice
WHERE upid IS NOT NULL
GROUP BY upid, frame;

CREATE OR REPLACE PERFETTO TABLE _frame_reason AS
WITH RECURSIVE reason(upid, frame, present_type, type, rest) AS (
  SELECT upid, name, present_type, NULL, jank_type || ', ' FROM actual_frame_timeline_slice
  UNION ALL
  SELECT
    upid, frame, present_type,
    substr(rest, 1, instr(rest, ', ') - 1),
    substr(rest, instr(rest, ', ') + 2)
  FROM reason
  WHERE rest != ''
)
SELECT DISTINCT upid, frame, present_type, type FROM reason WHERE type IS NOT NULL;

CREATE OR REPLACE PERFETTO FUNCTION _jank_types(upid LONG)
RETURNS BYTES AS
SELECT RepeatedField(AndroidFrameTimelineMetric_JankTypeMetric(
  'type', type,
  'total_count', frames,
  'present_unspecified_count', unspecified,
  'present_on_time_count', on_time,
  'present_late_count', late,
  'present_early_count', early,
  'present_dropped_count', dropped,
  'present_unknown_count', unknown))
FROM (
  SELECT
    type,
    count(DISTINCT frame) AS frames,
    count(DISTINCT iif(present_type = 'Unspecified Present', frame, NULL)) AS unspecified,
    count(DISTINCT iif(present_type = 'On-time Present', frame, NULL)) AS on_time,
    count(DISTINCT iif(present_type = 'Late Present', frame, NULL)) AS late,
    count(DISTINCT iif(present_type = 'Early Present', frame, NULL)) AS early,
    count(DISTINCT iif(present_type = 'Dropped Frame', frame, NULL)) AS dropped,
    count(DISTINCT iif(present_type = 'Unknown Present', frame, NULL)) AS unknown
  FROM _frame_reason
  WHERE $upid IS NULL OR upid = $upid
  GROUP BY type
  ORDER BY type
);

CREATE OR REPLACE PERFETTO TABLE _frame_counts AS
SELECT
  upid,
  count(*) AS frames,
  sum(is_missed) AS missed,
  sum(is_app_missed) AS app_missed,
  sum(is_sf_missed) AS sf_missed,
  sum(is_dropped) AS dropped,
  CAST(ifnull(sum(iif(is_missed, score, 0)), 0) AS DOUBLE) AS missed_score,
  CAST(ifnull(sum(iif(is_app_missed, score, 0)), 0) AS DOUBLE) AS app_missed_score,
  CAST(ifnull(sum(iif(is_sf_missed, score, 0)), 0) AS DOUBLE) AS sf_missed_score
FROM _frame
GROUP BY upid;

CREATE OR REPLACE PERFETTO TABLE _frame_durations AS
SELECT
  upid,
  max(dur) AS longest,
  CAST(avg(dur) AS INT) AS mean,
  percentile(dur, 50) AS p50,
  percentile(dur, 90) AS p90,
  percentile(dur, 95) AS p95,
  percentile(dur, 99) AS p99,
  percentile(dur / 1e6, 50) AS ms_p50,
  percentile(dur / 1e6, 90) AS ms_p90,
  percentile(dur / 1e6, 95) AS ms_p95,
  percentile(dur / 1e6, 99) AS ms_p99
FROM actual_frame_timeline_slice
WHERE jank_type NOT GLOB '*Dropped Frame*'
GROUP BY upid;

CREATE OR REPLACE PERFETTO VIEW android_frame_timeline_metric_output AS
SELECT AndroidFrameTimelineMetric(
  'total_frames', (SELECT ifnull(sum(frames), 0) FROM _frame_counts),
  'missed_app_frames', (SELECT ifnull(sum(app_missed), 0) FROM _frame_counts),
  'dropped_frames', (SELECT ifnull(sum(dropped), 0) FROM _frame_counts),
  'process', (
    SELECT RepeatedField(AndroidFrameTimelineMetric_ProcessBreakdown(
      'process', process_metadata_proto(c.upid),
      'total_frames', c.frames,
      'missed_frames', c.missed,
      'missed_app_frames', c.app_missed,
      'missed_sf_frames', c.sf_missed,
      'weighted_missed_frames', c.missed_score,
      'weighted_missed_app_frames', c.app_missed_score,
      'weighted_missed_sf_frames', c.sf_missed_score,
      'frame_dur_max', d.longest,
      'frame_dur_avg', d.mean,
      'frame_dur_p50', CAST(d.p50 AS INT),
      'frame_dur_p90', CAST(d.p90 AS INT),
      'frame_dur_p95', CAST(d.p95 AS INT),
      'frame_dur_p99', CAST(d.p99 AS INT),
      'frame_dur_ms_p50', d.ms_p50,
      'frame_dur_ms_p90', d.ms_p90,
      'frame_dur_ms_p95', d.ms_p95,
      'frame_dur_ms_p99', d.ms_p99,
      'dropped_frames', c.dropped,
      'jank_types', _jank_types(c.upid)))
    FROM _frame_counts AS c
    LEFT JOIN _frame_durations AS d USING (upid)
  ),
  'jank_types', _jank_types(NULL)
) AS message;
