-- Calls that held up each user journey's frames: their time and number in a frame, at most and on
-- average.
INCLUDE PERFETTO MODULE android.frame_blocking_calls.blocking_calls_aggregation;
SELECT run_metric('android/process_metadata.sql');

-- hwui's helpers run while a frame's layers are drawn.
CREATE OR REPLACE PERFETTO TABLE _hwui_in_frame AS
SELECT f.cuj_name, d.upid, f.frame_id,
  min(r.ts + r.dur, s.ts + s.dur) - max(r.ts, s.ts) AS dur
FROM _extended_frame_boundary AS f
JOIN android_frames_draw_frame AS d ON d.frame_id = f.frame_id
  AND d.render_thread_utid = f.render_thread_utid
JOIN slice AS s ON s.id = d.id
JOIN thread AS t ON t.upid = d.upid AND t.name GLOB 'hwuiTask*'
JOIN thread_state AS r ON r.utid = t.utid AND r.state = 'Running' AND r.ts < s.ts + s.dur
  AND r.ts + r.dur > s.ts;

CREATE OR REPLACE PERFETTO TABLE _call_in_frame AS
SELECT cuj_name, upid, frame_id, name, sum(dur) AS dur, count(*) AS number
FROM _blocking_calls_frame_cuj
GROUP BY cuj_name, frame_id, name
UNION ALL
SELECT cuj_name, upid, frame_id, 'hwuiTask', sum(dur), 1
FROM _hwui_in_frame
GROUP BY cuj_name, frame_id;

CREATE OR REPLACE PERFETTO VIEW _frames_of_cuj AS
SELECT cuj_name, count(*) AS frames FROM _android_distinct_frames_in_cuj GROUP BY cuj_name;

CREATE OR REPLACE PERFETTO VIEW _calls_of_cuj_frames AS
SELECT
  cuj_name,
  upid,
  RepeatedField(AndroidBlockingCallPerFrame(
    'name', name,
    'max_dur_per_frame_ms', CAST(longest / 1e6 AS INT),
    'max_dur_per_frame_ns', longest,
    'mean_dur_per_frame_ms', CAST(total / frames / 1e6 AS INT),
    'mean_dur_per_frame_ns', total / frames,
    'max_cnt_per_frame', most,
    'mean_cnt_per_frame', number / CAST(frames AS DOUBLE))) AS calls
FROM (
  SELECT
    c.cuj_name, c.upid, c.name, f.frames,
    max(c.dur) AS longest, sum(c.dur) AS total, max(c.number) AS most, sum(c.number) AS number
  FROM _call_in_frame AS c
  JOIN _frames_of_cuj AS f USING (cuj_name)
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
