-- How many frames of each user journey were late, and whose fault that was.

INCLUDE PERFETTO MODULE android.cujs.base;
INCLUDE PERFETTO MODULE android.cujs.boundaries;
INCLUDE PERFETTO MODULE android.cujs.relevant_slices;
INCLUDE PERFETTO MODULE android.cujs.threads;
INCLUDE PERFETTO MODULE android.frames.jank_type;
INCLUDE PERFETTO MODULE android.frames.timeline;
INCLUDE PERFETTO MODULE android.surfaceflinger;

CREATE PERFETTO TABLE _actual_frames_by_vsync AS
SELECT CAST(name AS INTEGER) AS vsync, name, upid, ts, dur, layer_name, jank_type, jank_score,
  on_time_finish
FROM actual_frame_timeline_slice
WHERE dur > 0
ORDER BY vsync;

-- The frames that were shown between a journey's first and last vsync, of its layer if that is known,
-- else of whatever drew. A frame is late if it was for any layer. Without an expected time, 60 Hz.
CREATE PERFETTO TABLE _android_jank_cuj_frame_timeline(
  cuj_id LONG, vsync LONG, app_missed LONG, sf_missed LONG, jank_score LONG,
  sf_callback_missed LONG, hwui_callback_missed LONG, on_time_finish LONG, ts_end_actual TIMESTAMP,
  dur DURATION, dur_expected DURATION, number_of_layers_for_frame LONG, frame_layer_name STRING
) AS
SELECT c.cuj_id, a.vsync, max(android_is_app_jank_type(a.jank_type)) AS app_missed,
  max(android_is_sf_jank_type(a.jank_type)) AS sf_missed,
  coalesce(max(abs(a.jank_score)), 0) AS jank_score,
  coalesce(max(m.sf_callback_missed), 0) AS sf_callback_missed,
  coalesce(max(m.hwui_callback_missed), 0) AS hwui_callback_missed,
  min(a.on_time_finish) AS on_time_finish, max(a.ts + a.dur) AS ts_end_actual, max(a.dur) AS dur,
  coalesce(max(e.dur), 16600000) AS dur_expected,
  count(DISTINCT a.layer_name) AS number_of_layers_for_frame, max(a.layer_name) AS frame_layer_name
FROM _android_jank_cuj_vsync_boundary AS c
JOIN _actual_frames_by_vsync AS a ON a.vsync BETWEEN c.vsync_min AND c.vsync_max
LEFT JOIN expected_frame_timeline_slice AS e ON e.upid = a.upid AND e.name = a.name
LEFT JOIN _vsync_missed_callback AS m ON m.vsync = a.vsync
LEFT JOIN android_jank_cuj_layer_name AS l ON l.cuj_id = c.cuj_id
WHERE l.layer_name IS NULL OR l.layer_name = a.layer_name
GROUP BY c.cuj_id, a.vsync;

CREATE PERFETTO TABLE _cuj_frame_counts AS
SELECT cuj_id, count(*) AS frames, sum(app_missed) AS app_missed, sum(sf_missed) AS sf_missed
FROM _android_jank_cuj_frame_timeline
GROUP BY cuj_id;

-- The GPU's fences that the drawings of each frame made.
CREATE PERFETTO TABLE _cuj_gpu_fences AS
SELECT cuj_id, vsync, count(fence_idx) AS fences
FROM _android_jank_cuj_gpu_completion_fence
GROUP BY cuj_id, vsync;

-- One row per journey and frame that was drawn and shown.
CREATE PERFETTO TABLE _android_jank_cuj_frame(
  cuj_id LONG, frame_number LONG, vsync LONG, ts TIMESTAMP, ts_expected TIMESTAMP,
  ts_do_frame_start TIMESTAMP, gpu_fence_count LONG, drew_anything LONG, app_missed LONG,
  sf_missed LONG, jank_score LONG, sf_callback_missed LONG, hwui_callback_missed LONG,
  on_time_finish LONG, dur DURATION, dur_unadjusted DURATION, dur_expected DURATION,
  ts_end TIMESTAMP
) AS
SELECT b.cuj_id, b.frame_number, b.vsync, b.ts, b.ts_expected,
  b.ts_do_frame_start, b.fences AS gpu_fence_count, b.fences > 0 AS drew_anything,
  t.app_missed, t.sf_missed, t.jank_score, t.sf_callback_missed, t.hwui_callback_missed,
  t.on_time_finish, t.ts_end_actual - b.ts AS dur,
  t.ts_end_actual - b.ts_do_frame_start AS dur_unadjusted, t.dur_expected,
  t.ts_end_actual AS ts_end
FROM (
  SELECT *, row_number() OVER (PARTITION BY cuj_id ORDER BY vsync) AS frame_number
  FROM _android_jank_cuj_main_thread_frame_boundary
  JOIN _cuj_gpu_fences USING (cuj_id, vsync)
) AS b
JOIN _android_jank_cuj_frame_timeline AS t USING (cuj_id, vsync);

-- SurfaceFlinger's frames that show the journey's, of the same layer.
CREATE PERFETTO TABLE _android_jank_cuj_sf_frame AS
SELECT *, row_number() OVER (PARTITION BY cuj_id ORDER BY vsync) AS frame_number
FROM (
  SELECT DISTINCT b.cuj_id, b.vsync, b.ts, b.ts_main_thread_start, b.ts_end, b.dur,
    a.jank_tag = 'Self Jank' AS sf_missed, NULL AS app_missed, a.jank_score, a.jank_tag,
    a.jank_type, a.prediction_type, a.present_type, a.gpu_composition,
    coalesce(e.dur, 16600000) AS dur_expected
  FROM _android_jank_cuj_sf_main_thread_frame_boundary AS b
  JOIN _android_jank_cuj_sf_process AS sf
  JOIN actual_frame_timeline_slice AS a
    ON a.upid = sf.upid AND CAST(a.name AS INTEGER) = b.vsync
  JOIN (
    SELECT DISTINCT c.cuj_id, shown.display_frame_token
    FROM _android_jank_cuj_vsync_boundary AS c
    JOIN actual_frame_timeline_slice AS shown ON shown.upid = c.upid
      AND CAST(shown.name AS INTEGER) BETWEEN c.vsync_min AND c.vsync_max
    LEFT JOIN android_jank_cuj_layer_name AS layer ON layer.cuj_id = c.cuj_id
    WHERE coalesce(shown.layer_name = layer.layer_name, layer.layer_name IS NULL)
  ) AS frame ON frame.cuj_id = b.cuj_id AND frame.display_frame_token = b.vsync
  LEFT JOIN expected_frame_timeline_slice AS e ON e.upid = a.upid AND e.name = a.name
);

-- One row per journey, canceled ones too, with its frames counted.
CREATE PERFETTO TABLE android_jank_cuj_slice_summary(
  -- The journey (joins android_jank_cuj.cuj_id).
  cuj_id LONG,
  -- Name of the journey's slice, `J<NAME>`.
  name STRING,
  -- Name of the process that reported the journey.
  process_name STRING,
  -- `completed`, `canceled`; NULL where the trace does not tell.
  state STRING,
  -- Frames of the journey's layer, or of all its layers if that is not known; NULL where it does not
  -- count.
  total_frames LONG,
  -- Frames that were late by the app's fault.
  missed_app_frames LONG,
  -- Frames that were late by the fault of SurfaceFlinger or what is below it.
  missed_sf_frames LONG,
  -- The journey's layer; NULL if not known.
  layer_name STRING,
  -- When the journey's frames began, else its slice.
  ts TIMESTAMP,
  -- How long the journey's frames took, else its slice.
  dur DURATION,
  -- The slice's track.
  track_id JOINID(track.id),
  -- The slice itself.
  slice_id JOINID(slice.id)
) AS
SELECT c.cuj_id, c.cuj_slice_name AS name, c.process_name, m.state, n.frames AS total_frames,
  n.app_missed AS missed_app_frames, n.sf_missed AS missed_sf_frames, l.layer_name,
  coalesce(b.ts, c.ts) AS ts, coalesce(b.ts_end - b.ts, c.dur) AS dur, s.track_id, c.slice_id
FROM _jank_cujs_slices AS c
JOIN _cuj_states AS m USING (cuj_id)
JOIN slice AS s ON s.id = c.slice_id
LEFT JOIN _cuj_frame_counts AS n ON n.cuj_id = c.cuj_id
LEFT JOIN android_jank_cuj_layer_name AS l ON l.cuj_id = c.cuj_id
LEFT JOIN android_jank_cuj AS counted ON counted.cuj_id = c.cuj_id
LEFT JOIN _android_jank_cuj_main_thread_cuj_boundary AS b ON b.cuj_id = counted.cuj_id
ORDER BY c.cuj_id;
