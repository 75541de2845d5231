-- Frames of apps: the UI thread's part, the render thread's, and what was expected of them.

INCLUDE PERFETTO MODULE android.frames.timeline_maxsdk28;
INCLUDE PERFETTO MODULE slices.with_context;

-- Slices whose names have a frame's number; devices may write more behind it. What has another text
-- there, or -1, is no frame.
CREATE PERFETTO FUNCTION _get_frame_table_with_id(glob_str STRING) RETURNS TABLE(
  id ID(slice.id), frame_id LONG, utid JOINID(thread.id), upid JOINID(process.id), ts TIMESTAMP
) AS
SELECT *
FROM (
  SELECT id, CAST(str_split(name, ' ', 1) AS INTEGER) AS frame_id, utid, upid, ts
  FROM thread_slice
  WHERE name GLOB $glob_str
)
WHERE frame_id NOT IN (0, -1);

-- The slices Choreographer#doFrame that have a frame's number.
CREATE PERFETTO TABLE android_frames_choreographer_do_frame(
  -- The slice.
  id ID(slice.id),
  -- Number of the frame: its vsync id.
  frame_id LONG,
  -- The UI thread.
  ui_thread_utid JOINID(thread.id),
  -- Process of the UI thread.
  upid JOINID(process.id),
  -- When the slice began.
  ts TIMESTAMP
) AS
SELECT id, frame_id, utid AS ui_thread_utid, upid, ts
FROM _get_frame_table_with_id('Choreographer#doFrame*');

-- The slices DrawFrame of render threads that have a frame's number. A frame is drawn several times
-- where there are several windows.
CREATE PERFETTO TABLE android_frames_draw_frame(
  -- The slice.
  id ID(slice.id),
  -- Number of the frame: its vsync id.
  frame_id LONG,
  -- The render thread.
  render_thread_utid JOINID(thread.id),
  -- Process of the render thread.
  upid JOINID(process.id)
) AS
SELECT id, frame_id, utid AS render_thread_utid, upid
FROM _get_frame_table_with_id('DrawFrame*');

-- Every drawing of a frame, and how long the frame took up to its end.
CREATE PERFETTO TABLE _drawn_frames AS
SELECT f.frame_id, f.id AS do_frame_id, f.ui_thread_utid, f.upid, f.ts, d.id AS draw_frame_id,
  d.render_thread_utid, s.ts + s.dur - f.ts AS dur
FROM android_frames_choreographer_do_frame AS f
JOIN android_frames_draw_frame AS d ON d.frame_id = f.frame_id AND d.upid = f.upid
JOIN slice AS s ON s.id = d.id
ORDER BY f.frame_id;

CREATE PERFETTO TABLE _distinct_layer_actual_timeline_slice_per_process AS
SELECT CAST(name AS INTEGER) AS frame_id, CAST(str_split(layer_name, '#', 1) AS INTEGER) AS layer_id,
  layer_name, id AS slice_id, ts, dur, upid
FROM actual_frame_timeline_slice;

CREATE PERFETTO TABLE _distinct_from_expected_timeline_slice_per_process AS
SELECT CAST(name AS INTEGER) AS frame_id, upid, id
FROM expected_frame_timeline_slice;

-- Callbacks of SurfaceFlinger and of hwui that a frame was not told of.
CREATE PERFETTO TABLE _vsync_missed_callback AS
SELECT CAST(str_split(name, 'Callback#', 1) AS INTEGER) AS vsync,
  max(name GLOB '*SF*') AS sf_callback_missed, max(name GLOB '*HWUI*') AS hwui_callback_missed
FROM slice
WHERE name GLOB '*FT#Missed*Callback*'
GROUP BY vsync;

-- A row for each drawing of a frame and each layer that the frame changed. What the timeline does
-- not have lasts from the UI thread's slice to the end of drawing. A recording without any timeline
-- is taken for one of Android 9 or older.
CREATE PERFETTO TABLE android_frames_layers(
  -- Number of the frame: its vsync id, or a count where frames have none.
  frame_id LONG,
  -- When the frame began: its timeline slice, else doFrame.
  ts TIMESTAMP,
  -- How long the frame took: its timeline slice, else up to the end of drawing.
  dur DURATION,
  -- When the frame ended.
  ts_end TIMESTAMP,
  -- Slice of doFrame on the UI thread.
  do_frame_id JOINID(slice.id),
  -- Slice of the drawing on the render thread.
  draw_frame_id JOINID(slice.id),
  -- The frame's slice of the actual timeline; NULL without one.
  actual_frame_timeline_id JOINID(slice.id),
  -- The frame's slice of the expected timeline; NULL without one.
  expected_frame_timeline_id JOINID(slice.id),
  -- The render thread.
  render_thread_utid JOINID(thread.id),
  -- The UI thread.
  ui_thread_utid JOINID(thread.id),
  -- SurfaceFlinger's id of the layer, from its name; NULL without a timeline.
  layer_id LONG,
  -- Name of the layer; NULL without a timeline.
  layer_name STRING,
  -- The process; NULL if the timeline did not expect the frame.
  upid JOINID(process.id),
  -- Name of the process.
  process_name STRING
) AS
SELECT DISTINCT f.frame_id, coalesce(a.ts, d.ts) AS ts, coalesce(a.dur, d.dur) AS dur,
  coalesce(a.ts, d.ts) + coalesce(a.dur, d.dur) AS ts_end, f.do_frame_id, f.draw_frame_id,
  a.slice_id AS actual_frame_timeline_id, e.id AS expected_frame_timeline_id, f.render_thread_utid,
  f.ui_thread_utid, a.layer_id, a.layer_name,
  e.upid, p.name AS process_name
FROM _drawn_frames AS f
JOIN _drawn_frames AS d ON d.frame_id = f.frame_id
JOIN process AS p ON p.upid = f.upid
LEFT JOIN _distinct_layer_actual_timeline_slice_per_process AS a
  ON a.frame_id = f.frame_id AND a.upid = f.upid
LEFT JOIN _distinct_from_expected_timeline_slice_per_process AS e
  ON e.frame_id = f.frame_id AND e.upid = f.upid
WHERE EXISTS (SELECT 1 FROM actual_frame_timeline_slice)
UNION ALL
SELECT frame_id, ts, dur, ts + dur, do_frame_id, draw_frame_id, NULL, NULL, render_thread_utid,
  ui_thread_utid, NULL, NULL, upid, process_name
FROM _frames_maxsdk_28
WHERE NOT EXISTS (SELECT 1 FROM actual_frame_timeline_slice)
ORDER BY 1, 2, 3, 5, 6, 9, 10, 13, 14, 7, 8;

-- One row per frame of a process, over its layers and drawings.
CREATE PERFETTO TABLE android_frames(
  -- Number of the frame: its vsync id, or a count where frames have none.
  frame_id LONG,
  -- When the frame began, the earliest of its layers.
  ts TIMESTAMP,
  -- How long the frame took, the longest of its layers.
  dur DURATION,
  -- Slice of doFrame on the UI thread, the first one.
  do_frame_id JOINID(slice.id),
  -- Slice of the drawing on the render thread, the first one.
  draw_frame_id JOINID(slice.id),
  -- The frame's slice of the actual timeline, the first one; NULL without one.
  actual_frame_timeline_id JOINID(slice.id),
  -- The frame's slice of the expected timeline, the first one; NULL without one.
  expected_frame_timeline_id JOINID(slice.id),
  -- The render thread.
  render_thread_utid JOINID(thread.id),
  -- The UI thread.
  ui_thread_utid JOINID(thread.id),
  -- How many slices of the actual timeline the frame has.
  actual_frame_timeline_count LONG,
  -- How many frames were expected: 1.
  expected_frame_timeline_count LONG,
  -- How often the frame was drawn.
  draw_frame_count LONG,
  -- The process; NULL if the timeline did not expect the frame.
  upid JOINID(process.id),
  -- Name of the process.
  process_name STRING
) AS
SELECT frame_id, min(ts) AS ts, max(dur) AS dur, min(do_frame_id) AS do_frame_id,
  min(draw_frame_id) AS draw_frame_id, min(actual_frame_timeline_id) AS actual_frame_timeline_id,
  min(expected_frame_timeline_id) AS expected_frame_timeline_id, render_thread_utid,
  ui_thread_utid, count(DISTINCT actual_frame_timeline_id) AS actual_frame_timeline_count,
  1 AS expected_frame_timeline_count, count(DISTINCT draw_frame_id) AS draw_frame_count, upid,
  process_name
FROM android_frames_layers
GROUP BY frame_id, upid;

-- The first frame of any process that begins after a time.
CREATE PERFETTO FUNCTION android_first_frame_after(
  -- The time, which is not included.
  ts TIMESTAMP
) RETURNS TABLE(
  -- Number of the frame: its vsync id, or a count where frames have none.
  frame_id LONG,
  -- When the frame began, the earliest of its layers.
  ts TIMESTAMP,
  -- How long the frame took, the longest of its layers.
  dur DURATION,
  -- Slice of doFrame on the UI thread, the first one.
  do_frame_id JOINID(slice.id),
  -- Slice of the drawing on the render thread, the first one.
  draw_frame_id JOINID(slice.id),
  -- The frame's slice of the actual timeline, the first one; NULL without one.
  actual_frame_timeline_id JOINID(slice.id),
  -- The frame's slice of the expected timeline, the first one; NULL without one.
  expected_frame_timeline_id JOINID(slice.id),
  -- The render thread.
  render_thread_utid JOINID(thread.id),
  -- The UI thread.
  ui_thread_utid JOINID(thread.id)
) AS
SELECT frame_id, ts, dur, do_frame_id, draw_frame_id, actual_frame_timeline_id,
  expected_frame_timeline_id, render_thread_utid, ui_thread_utid
FROM android_frames
WHERE ts > $ts
ORDER BY ts
LIMIT 1;
