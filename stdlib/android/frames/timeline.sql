-- Frames of apps: the UI thread's part, the render thread's, and what was expected of them.

INCLUDE PERFETTO MODULE slices.with_context;

-- Some devices write more behind the number.
CREATE PERFETTO TABLE android_frames_choreographer_do_frame(
  id ID(slice.id), frame_id LONG, ui_thread_utid JOINID(thread.id), upid JOINID(process.id),
  ts TIMESTAMP
) AS
SELECT id, CAST(str_split(name, ' ', 1) AS INTEGER) AS frame_id, utid AS ui_thread_utid, upid, ts
FROM thread_slice
WHERE name GLOB 'Choreographer#doFrame [0-9]*';

-- A frame is drawn several times where there are several windows.
CREATE PERFETTO TABLE android_frames_draw_frame(
  id ID(slice.id), frame_id LONG, render_thread_utid JOINID(thread.id), upid JOINID(process.id)
) AS
SELECT id, CAST(str_split(name, ' ', 1) AS INTEGER) AS frame_id, utid AS render_thread_utid, upid
FROM thread_slice
WHERE name GLOB 'DrawFrame [0-9]*' OR name GLOB 'DrawFrames [0-9]*';

-- Up to Android 9 frames have no numbers: they are counted, and what is drawn before the next frame
-- of the process belongs to the one before.
CREATE PERFETTO TABLE _frames_without_number AS
SELECT row_number() OVER (ORDER BY ts) AS frame_id, id, utid, upid, ts,
  coalesce(lead(ts) OVER (PARTITION BY upid ORDER BY ts), trace_end() + 1) AS next_ts
FROM thread_slice
WHERE name = 'Choreographer#doFrame' AND is_main_thread
  AND NOT EXISTS (SELECT 1 FROM android_frames_choreographer_do_frame);

-- Every frame that was drawn: draw_ts_end is where the last of its drawings ends.
CREATE PERFETTO TABLE _drawn_frames AS
SELECT f.frame_id, f.id AS do_frame_id, f.ui_thread_utid, f.upid, f.ts AS ts,
  min(d.id) AS draw_frame_id, d.render_thread_utid, count(*) AS draw_frame_count,
  max(s.ts + s.dur) AS draw_ts_end
FROM android_frames_choreographer_do_frame AS f
JOIN android_frames_draw_frame AS d ON d.frame_id = f.frame_id AND d.upid = f.upid
JOIN slice AS s ON s.id = d.id
GROUP BY f.id
UNION ALL
SELECT f.frame_id, f.id, f.utid, f.upid, f.ts, min(s.id), s.utid, count(*), max(s.ts + s.dur)
FROM _frames_without_number AS f
JOIN thread_slice AS s ON s.upid = f.upid AND s.name GLOB 'DrawFrame*' AND s.ts >= f.ts
  AND s.ts < f.next_ts
GROUP BY f.id
ORDER BY ts;

CREATE PERFETTO TABLE _actual_frames AS
SELECT CAST(name AS INTEGER) AS frame_id, upid, id, ts, dur, layer_name
FROM actual_frame_timeline_slice;

CREATE PERFETTO TABLE _expected_frames AS
SELECT CAST(name AS INTEGER) AS frame_id, upid, id, layer_name
FROM expected_frame_timeline_slice;

-- A row for each layer that a frame changed. Without a frame timeline a frame lasts from the UI
-- thread's slice to the end of drawing.
CREATE PERFETTO TABLE android_frames_layers(
  frame_id LONG, ts TIMESTAMP, dur DURATION, ts_end TIMESTAMP, do_frame_id JOINID(slice.id),
  draw_frame_id JOINID(slice.id), actual_frame_timeline_id JOINID(slice.id),
  expected_frame_timeline_id JOINID(slice.id), render_thread_utid JOINID(thread.id),
  ui_thread_utid JOINID(thread.id), layer_id LONG, layer_name STRING, upid JOINID(process.id),
  process_name STRING
) AS
SELECT f.frame_id, coalesce(a.ts, f.ts) AS ts, coalesce(a.dur, f.draw_ts_end - f.ts) AS dur,
  coalesce(a.ts + a.dur, f.draw_ts_end) AS ts_end, f.do_frame_id, f.draw_frame_id,
  a.id AS actual_frame_timeline_id,
  coalesce((
    SELECT min(e.id)
    FROM _expected_frames AS e
    WHERE e.frame_id = f.frame_id AND e.upid = f.upid AND e.layer_name = a.layer_name
  ), (
    SELECT min(e.id) FROM _expected_frames AS e WHERE e.frame_id = f.frame_id AND e.upid = f.upid
  )) AS expected_frame_timeline_id,
  f.render_thread_utid, f.ui_thread_utid,
  CAST(regexp_extract(a.layer_name, '#(\d+)$') AS INTEGER) AS layer_id, a.layer_name, f.upid,
  p.name AS process_name
FROM _drawn_frames AS f
LEFT JOIN _actual_frames AS a ON a.frame_id = f.frame_id AND a.upid = f.upid
LEFT JOIN process AS p ON p.upid = f.upid
ORDER BY f.frame_id, ts;

CREATE PERFETTO TABLE android_frames(
  frame_id LONG, ts TIMESTAMP, dur DURATION, do_frame_id JOINID(slice.id),
  draw_frame_id JOINID(slice.id), actual_frame_timeline_id JOINID(slice.id),
  expected_frame_timeline_id JOINID(slice.id), render_thread_utid JOINID(thread.id),
  ui_thread_utid JOINID(thread.id), actual_frame_timeline_count LONG,
  expected_frame_timeline_count LONG, draw_frame_count LONG, upid JOINID(process.id),
  process_name STRING
) AS
SELECT l.frame_id, min(l.ts) AS ts, max(l.dur) AS dur, l.do_frame_id, l.draw_frame_id,
  min(l.actual_frame_timeline_id) AS actual_frame_timeline_id,
  min(l.expected_frame_timeline_id) AS expected_frame_timeline_id, l.render_thread_utid,
  l.ui_thread_utid, nullif(count(l.actual_frame_timeline_id), 0) AS actual_frame_timeline_count,
  nullif((
    SELECT count(*) FROM _expected_frames AS e WHERE e.frame_id = f.frame_id AND e.upid = f.upid
  ), 0) AS expected_frame_timeline_count,
  f.draw_frame_count, l.upid, l.process_name
FROM android_frames_layers AS l
JOIN _drawn_frames AS f ON f.do_frame_id = l.do_frame_id
GROUP BY l.do_frame_id
ORDER BY l.frame_id;

CREATE PERFETTO FUNCTION android_first_frame_after(ts TIMESTAMP) RETURNS TABLE(
  frame_id LONG, ts TIMESTAMP, dur DURATION, do_frame_id JOINID(slice.id),
  draw_frame_id JOINID(slice.id), actual_frame_timeline_id JOINID(slice.id),
  expected_frame_timeline_id JOINID(slice.id), render_thread_utid JOINID(thread.id),
  ui_thread_utid JOINID(thread.id)
) AS
SELECT frame_id, ts, dur, do_frame_id, draw_frame_id, actual_frame_timeline_id,
  expected_frame_timeline_id, render_thread_utid, ui_thread_utid
FROM android_frames
WHERE ts > $ts
ORDER BY ts
LIMIT 1;
