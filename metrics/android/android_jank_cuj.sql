-- The frames of each user journey that reports its smoothness: which were late, and whose fault that
-- was, as the process counted them, as the timeline of frames has them, and as threads show them.
INCLUDE PERFETTO MODULE slices.with_context;
SELECT run_metric('android/jank/android_jank_cuj_init.sql');

-- A journey with what is told of it afterwards, before the next of its name begins.
CREATE OR REPLACE PERFETTO TABLE _jank_cuj_span AS
SELECT
  cuj_id, upid, cuj_slice_name, ts, ts_end,
  lead(ts, 1, trace_end() + 1) OVER (PARTITION BY upid, cuj_slice_name ORDER BY ts) AS next_ts
FROM android_jank_cuj;

-- Frames of which SurfaceFlinger, or the render thread, told the process nothing.
CREATE OR REPLACE PERFETTO TABLE _jank_cuj_missed_callback AS
SELECT DISTINCT
  c.cuj_id, m.marker GLOB '*SFCallback#*' AS of_sf,
  CAST(regexp_extract(m.marker, '#(\d+)$') AS INT) AS vsync
FROM (
  SELECT
    ts, upid, name AS marker,
    iif(name GLOB 'FT#*', track_name, regexp_extract(name, '^(J<[^>]*>)#')) AS cuj_slice_name
  FROM thread_or_process_slice
  WHERE name GLOB '*FT#MissedSFCallback#*' OR name GLOB '*FT#MissedHWUICallback#*'
) AS m
JOIN _jank_cuj_span AS c ON c.upid = m.upid AND c.cuj_slice_name = m.cuj_slice_name
  AND m.ts >= c.ts AND m.ts < c.next_ts;

-- Frames by journey, and SurfaceFlinger's that showed those.
CREATE OR REPLACE PERFETTO TABLE _jank_cuj_frame AS
SELECT
  f.*,
  EXISTS (
    SELECT 1 FROM _jank_cuj_missed_callback AS m
    WHERE m.cuj_id = f.cuj_id AND m.vsync = f.vsync AND of_sf
  ) AS sf_callback_missed,
  EXISTS (
    SELECT 1 FROM _jank_cuj_missed_callback AS m
    WHERE m.cuj_id = f.cuj_id AND m.vsync = f.vsync AND NOT of_sf
  ) AS hwui_callback_missed
FROM android_jank_cuj_frame AS f;

CREATE OR REPLACE PERFETTO VIEW _jank_cuj_counter_metrics AS
SELECT
  cuj_id,
  AndroidJankCujMetric_Metrics(
    'total_frames', total_frames,
    'missed_frames', missed_frames,
    'missed_app_frames', missed_app_frames,
    'missed_sf_frames', missed_sf_frames,
    'missed_frames_max_successive', missed_frames_max_successive,
    'weighted_missed_frames', weighted_missed_frames * anim_duration_ms / 1e3,
    'weighted_missed_app_frames', weighted_missed_app_frames * anim_duration_ms / 1e3,
    'weighted_missed_sf_frames', weighted_missed_sf_frames * anim_duration_ms / 1e3,
    'sf_callback_missed_frames', sf_callback_missed_frames,
    'hwui_callback_missed_frames', hwui_callback_missed_frames,
    'frame_dur_max', frame_dur_max,
    'anim_duration', anim_duration_ms * 1000000) AS metrics
FROM android_jank_cuj_counter_metrics;

CREATE OR REPLACE PERFETTO VIEW _jank_cuj_durations AS
SELECT cuj_id, app_missed, sf_missed, jank_score, sf_callback_missed, hwui_callback_missed, dur, 'trace' AS of
FROM _jank_cuj_frame
UNION ALL
SELECT
  cuj_id, app_missed, sf_missed, jank_score, sf_callback_missed, hwui_callback_missed, longest_layer,
  'timeline'
FROM _jank_cuj_frame;

CREATE OR REPLACE PERFETTO VIEW _jank_cuj_metrics AS
SELECT
  cuj_id, of,
  AndroidJankCujMetric_Metrics(
    'total_frames', count(*),
    'missed_frames', sum(app_missed OR sf_missed),
    'missed_app_frames', sum(app_missed),
    'missed_sf_frames', sum(sf_missed),
    'weighted_missed_frames', sum(iif(app_missed OR sf_missed, jank_score, 0.0)),
    'weighted_missed_app_frames', sum(iif(app_missed, jank_score, 0.0)),
    'weighted_missed_sf_frames', sum(iif(sf_missed, jank_score, 0.0)),
    'sf_callback_missed_frames', sum(sf_callback_missed),
    'hwui_callback_missed_frames', sum(hwui_callback_missed),
    'frame_dur_max', max(dur),
    'frame_dur_avg', CAST(avg(dur) AS INT),
    'frame_dur_p50', CAST(percentile(dur, 50) AS INT),
    'frame_dur_p90', CAST(percentile(dur, 90) AS INT),
    'frame_dur_p95', CAST(percentile(dur, 95) AS INT),
    'frame_dur_p99', CAST(percentile(dur, 99) AS INT),
    'frame_dur_ms_p50', percentile(dur / 1e6, 50),
    'frame_dur_ms_p90', percentile(dur / 1e6, 90),
    'frame_dur_ms_p95', percentile(dur / 1e6, 95),
    'frame_dur_ms_p99', percentile(dur / 1e6, 99)) AS metrics
FROM _jank_cuj_durations
GROUP BY cuj_id, of;

CREATE OR REPLACE PERFETTO VIEW _jank_cuj_frame_messages AS
SELECT
  cuj_id,
  RepeatedField(AndroidJankCujMetric_Frame(
    'frame_number', frame_number,
    'vsync', vsync,
    'ts', ts,
    'dur', dur,
    'dur_expected', dur_expected,
    'app_missed', app_missed,
    'sf_missed', sf_missed,
    'jank_score', jank_score,
    'sf_callback_missed', sf_callback_missed,
    'hwui_callback_missed', hwui_callback_missed)) AS frames
FROM (SELECT * FROM _jank_cuj_frame ORDER BY cuj_id, frame_number)
GROUP BY cuj_id;

CREATE OR REPLACE PERFETTO VIEW _jank_cuj_sf_frame_messages AS
SELECT
  cuj_id,
  RepeatedField(AndroidJankCujMetric_Frame(
    'frame_number', frame_number,
    'vsync', vsync,
    'ts', ts,
    'dur', dur,
    'dur_expected', dur_expected,
    'sf_missed', sf_missed,
    'jank_score', jank_score)) AS frames
FROM (SELECT * FROM android_jank_cuj_sf_frame ORDER BY cuj_id, frame_number)
GROUP BY cuj_id;

-- A journey lasts from its first frame to the end of its slice, or of its last frame.
CREATE OR REPLACE PERFETTO VIEW _jank_cuj_message AS
SELECT AndroidJankCujMetric_Cuj(
  'id', c.cuj_id,
  'name', c.cuj_name,
  'process', process_metadata_proto(c.upid),
  'layer_name', l.layer_name,
  'ts', coalesce(b.ts, c.ts),
  'dur', max(coalesce(b.ts_end, c.ts_end), c.ts_end) - coalesce(b.ts, c.ts),
  'counter_metrics', (SELECT metrics FROM _jank_cuj_counter_metrics AS m WHERE m.cuj_id = c.cuj_id),
  'trace_metrics', (
    SELECT metrics FROM _jank_cuj_metrics AS m WHERE m.cuj_id = c.cuj_id AND of = 'trace'),
  'timeline_metrics', (
    SELECT metrics FROM _jank_cuj_metrics AS m WHERE m.cuj_id = c.cuj_id AND of = 'timeline'),
  'frame', (SELECT frames FROM _jank_cuj_frame_messages AS m WHERE m.cuj_id = c.cuj_id),
  'sf_frame', (SELECT frames FROM _jank_cuj_sf_frame_messages AS m WHERE m.cuj_id = c.cuj_id)) AS cuj
FROM android_jank_cuj AS c
LEFT JOIN android_jank_cuj_layer_name AS l ON l.cuj_id = c.cuj_id
LEFT JOIN (
  SELECT cuj_id, min(ts) AS ts, max(ts_end) AS ts_end FROM android_jank_cuj_frame GROUP BY cuj_id
) AS b ON b.cuj_id = c.cuj_id
ORDER BY c.cuj_id;

CREATE OR REPLACE PERFETTO VIEW android_jank_cuj_output AS
SELECT AndroidJankCujMetric('cuj', (SELECT RepeatedField(cuj) FROM _jank_cuj_message)) AS message;
