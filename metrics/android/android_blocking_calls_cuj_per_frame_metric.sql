-- Calls that held up each user journey's frames: their time and number in a frame, at most and on
-- average.
INCLUDE PERFETTO MODULE android.frame_blocking_calls.blocking_calls_aggregation;
SELECT run_metric('android/process_metadata.sql');

CREATE OR REPLACE PERFETTO TABLE _cuj_frame AS
SELECT f.cuj_name, c.upid, c.ui_thread, f.cuj_id, f.frame_id, f.ts, f.ts_end
FROM _extended_frame_boundary AS f
JOIN android_sysui_jank_cujs AS c USING (cuj_id);

CREATE OR REPLACE PERFETTO TABLE _frame_call AS
SELECT name, ts, dur, upid, utid FROM _android_critical_blocking_calls
UNION ALL
SELECT 'hwuiTask', s.ts, s.dur, t.upid, s.utid
FROM sched AS s
JOIN thread AS t USING (utid)
WHERE t.name GLOB 'hwuiTask*' AND s.dur > 0;

CREATE OR REPLACE PERFETTO TABLE _call_in_frame AS
SELECT f.cuj_name, f.upid, f.cuj_id, f.frame_id, c.name, sum(c.dur) AS dur, count(*) AS number
FROM _cuj_frame AS f
JOIN _frame_call AS c ON c.upid = f.upid AND c.ts >= f.ts AND c.ts < f.ts_end
JOIN thread AS t USING (utid)
WHERE c.utid = f.ui_thread OR t.name = 'RenderThread' OR t.name GLOB 'hwuiTask*'
GROUP BY f.cuj_id, f.frame_id, c.name;

CREATE OR REPLACE PERFETTO VIEW _frames_of_cuj AS
SELECT cuj_name, upid, count(*) AS frames FROM _cuj_frame GROUP BY cuj_name, upid;

CREATE OR REPLACE PERFETTO VIEW _calls_of_cuj_frames AS
SELECT
  cuj_name,
  upid,
  RepeatedField(AndroidBlockingCallPerFrame(
    'name', name,
    'max_dur_per_frame_ms', CAST(longest / 1e6 AS INT),
    'max_dur_per_frame_ns', longest,
    'mean_dur_per_frame_ms', CAST(total / frames / 1e6 AS INT),
    'mean_dur_per_frame_ns', CAST(total / frames AS INT),
    'max_cnt_per_frame', most,
    'mean_cnt_per_frame', number / CAST(frames AS DOUBLE))) AS calls
FROM (
  SELECT
    c.cuj_name, c.upid, c.name, f.frames,
    max(c.dur) AS longest, sum(c.dur) AS total, max(c.number) AS most, sum(c.number) AS number
  FROM _call_in_frame AS c
  JOIN _frames_of_cuj AS f USING (cuj_name, upid)
  GROUP BY c.cuj_name, c.upid, c.name
  ORDER BY c.cuj_name, c.upid, c.name
)
GROUP BY cuj_name, upid;

CREATE OR REPLACE PERFETTO VIEW android_blocking_calls_cuj_per_frame_metric_output AS
SELECT AndroidCujBlockingCallsPerFrameMetric(
  'cuj', (
    SELECT RepeatedField(AndroidCujBlockingCallsPerFrameMetric_Cuj(
      'name', cuj_name,
      'process', process_metadata_proto(upid),
      'blocking_calls', calls))
    FROM _calls_of_cuj_frames
  )
) AS message;
