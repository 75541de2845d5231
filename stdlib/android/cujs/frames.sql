-- How many frames of each user journey were late, and whose fault that was.

INCLUDE PERFETTO MODULE android.cujs.base;
INCLUDE PERFETTO MODULE android.cujs.threads;
INCLUDE PERFETTO MODULE android.frames.jank_type;
INCLUDE PERFETTO MODULE android.frames.timeline;
INCLUDE PERFETTO MODULE android.surfaceflinger;

CREATE PERFETTO TABLE _cuj_do_frames AS
SELECT c.cuj_id, d.upid, d.utid, d.id, d.vsync, d.ts, d.ts_end,
  coalesce(lag(d.ts_end) OVER (PARTITION BY c.cuj_id ORDER BY d.vsync), -1) AS previous_end
FROM android_jank_cuj AS c
JOIN _android_jank_cuj_do_frames AS d USING (cuj_id);

-- When frames were expected to begin, and when their layers did and ended.
CREATE PERFETTO TABLE _frame_timeline AS
SELECT e.upid, CAST(e.name AS INTEGER) AS vsync, e.ts AS expected_ts, min(a.ts) AS first_ts,
  max(a.ts + a.dur) AS last_end
FROM expected_frame_timeline_slice AS e
JOIN actual_frame_timeline_slice AS a ON a.upid = e.upid AND a.name = e.name
WHERE e.dur > 0
GROUP BY e.upid, vsync, e.ts;

-- A frame begins when it was expected to, but not before the last one ended; where the timeline does
-- not fit (its clock may have drifted, a frame far too late has no expected time), with its callback.
CREATE PERFETTO TABLE _cuj_frame_bounds AS
SELECT d.cuj_id, d.upid, d.vsync, d.ts AS do_frame_ts, d.ts_end, t.expected_ts,
  iif(t.vsync IS NULL, d.ts, max(d.previous_end, t.expected_ts)) AS ts
FROM _cuj_do_frames AS d
LEFT JOIN _frame_timeline AS t ON t.upid = d.upid AND t.vsync = d.vsync
  AND d.ts BETWEEN t.first_ts - 1000000 AND t.last_end;

-- The time that a journey's frames take on the thread.
CREATE PERFETTO TABLE _cuj_bounds AS
SELECT cuj_id, min(ts) AS ts, max(ts_end) AS ts_end FROM _cuj_frame_bounds GROUP BY cuj_id;

CREATE PERFETTO TABLE _cuj_vsyncs AS
SELECT c.cuj_id, coalesce(c.begin_vsync, min(d.vsync)) AS first,
  coalesce(c.end_vsync, max(d.vsync)) AS last
FROM android_jank_cuj AS c
JOIN _cuj_do_frames AS d USING (cuj_id)
GROUP BY c.cuj_id;

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
FROM _cuj_vsyncs AS c
JOIN _actual_frames_by_vsync AS a ON a.vsync BETWEEN c.first AND c.last
LEFT JOIN expected_frame_timeline_slice AS e ON e.upid = a.upid AND e.name = a.name
LEFT JOIN _vsync_missed_callback AS m ON m.vsync = a.vsync
LEFT JOIN android_jank_cuj_layer_name AS l ON l.cuj_id = c.cuj_id
WHERE l.layer_name IS NULL OR l.layer_name = a.layer_name
GROUP BY c.cuj_id, a.vsync;

CREATE PERFETTO TABLE _cuj_frame_counts AS
SELECT cuj_id, count(*) AS frames, sum(app_missed) AS app_missed, sum(sf_missed) AS sf_missed
FROM _android_jank_cuj_frame_timeline
GROUP BY cuj_id;

-- The drawings of a journey's frames by its render thread, and the GPU's fences that they wait for.
CREATE PERFETTO TABLE _cuj_gpu_fences AS
SELECT d.cuj_id, d.vsync, count(CAST(regexp_extract(fence.name, '^(?:Trace )?GPU completion fence (\d+)')
  AS INTEGER)) + count(CAST(regexp_extract(fence.name, '^waiting for GPU completion (\d+)') AS INTEGER))
  AS fences
FROM _cuj_do_frames AS d
JOIN android_jank_cuj_render_thread AS r USING (cuj_id)
JOIN slice AS draw ON draw.track_id = r.track_id AND draw.name GLOB 'DrawFrame*' AND draw.dur > 0
  AND CAST(str_split(draw.name, ' ', 1) AS INTEGER) = d.vsync
JOIN descendant_slice(draw.id) AS fence ON fence.name GLOB '*GPU completion fence*'
GROUP BY d.cuj_id, d.vsync;

-- One row per journey and frame that was drawn and shown.
CREATE PERFETTO TABLE _android_jank_cuj_frame(
  cuj_id LONG, frame_number LONG, vsync LONG, ts TIMESTAMP, ts_expected TIMESTAMP,
  ts_do_frame_start TIMESTAMP, gpu_fence_count LONG, drew_anything LONG, app_missed LONG,
  sf_missed LONG, jank_score LONG, sf_callback_missed LONG, hwui_callback_missed LONG,
  on_time_finish LONG, dur DURATION, dur_unadjusted DURATION, dur_expected DURATION,
  ts_end TIMESTAMP
) AS
SELECT b.cuj_id, b.frame_number, b.vsync, b.ts, b.expected_ts AS ts_expected,
  b.do_frame_ts AS ts_do_frame_start, b.fences AS gpu_fence_count, b.fences > 0 AS drew_anything,
  t.app_missed, t.sf_missed, t.jank_score, t.sf_callback_missed, t.hwui_callback_missed,
  t.on_time_finish, t.ts_end_actual - b.ts AS dur, t.ts_end_actual - b.do_frame_ts AS dur_unadjusted,
  t.dur_expected, t.ts_end_actual AS ts_end
FROM (
  SELECT *, row_number() OVER (PARTITION BY cuj_id ORDER BY vsync) AS frame_number
  FROM _cuj_frame_bounds
  JOIN _cuj_gpu_fences USING (cuj_id, vsync)
) AS b
JOIN _android_jank_cuj_frame_timeline AS t USING (cuj_id, vsync);

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
LEFT JOIN _cuj_bounds AS b ON b.cuj_id = c.cuj_id
ORDER BY c.cuj_id;
