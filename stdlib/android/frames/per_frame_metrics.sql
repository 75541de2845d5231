-- How late and how costly each frame was.

INCLUDE PERFETTO MODULE android.frames.timeline;
INCLUDE PERFETTO MODULE time.conversion;

-- The end of the first slice of each frame, whichever process it is of.
CREATE PERFETTO MACRO _frame_ends(slices TableOrSubquery) RETURNS TableOrSubquery AS (
  SELECT CAST(name AS INTEGER) AS frame_id, ts + dur AS ts_end, min(id)
  FROM $slices
  GROUP BY 1
);

-- How long after its deadline each frame was done.
CREATE PERFETTO TABLE android_frames_overrun(
  -- The frame (joins android_frames.frame_id).
  frame_id LONG,
  -- End of the actual less that of the expected frame in ns; negative for early ones.
  overrun LONG
) AS
SELECT frame_id, actual.ts_end - expected.ts_end AS overrun
FROM _frame_ends!(actual_frame_timeline_slice) AS actual
JOIN _frame_ends!(expected_frame_timeline_slice) AS expected USING (frame_id);

-- Each frame over its layers, and how often it is in either timeline.
CREATE PERFETTO VIEW _frame_id_count_in_actual_timeline AS
SELECT CAST(name AS INTEGER) AS frame_id, min(id) AS id, min(ts) AS ts, max(dur) AS dur,
  max(ts + dur) AS ts_end, count(*) AS count
FROM actual_frame_timeline_slice
GROUP BY 1;

CREATE PERFETTO VIEW _frame_id_count_in_expected_timeline AS
SELECT CAST(name AS INTEGER) AS frame_id, id, count(*) AS count
FROM expected_frame_timeline_slice
GROUP BY 1;

-- How long each frame took on the UI thread.
CREATE PERFETTO TABLE android_frames_ui_time(
  -- The frame (joins android_frames.frame_id).
  frame_id LONG,
  -- Duration of the frame's doFrame slice in ns.
  ui_time LONG
) AS
SELECT f.frame_id, s.dur AS ui_time
FROM android_frames_choreographer_do_frame AS f
JOIN slice AS s ON s.id = f.id
ORDER BY f.frame_id;

-- What each frame cost: app_vsync_delay is how long after the expected time the app began with it.
CREATE PERFETTO TABLE _frame_costs AS
SELECT f.frame_id, f.upid, f.do_frame_id, a.ts - e.ts AS app_vsync_delay, u.dur AS do_frame_dur,
  sum(d.dur) AS draw_frame_dur
FROM android_frames AS f
JOIN slice AS a ON a.id = f.actual_frame_timeline_id
JOIN slice AS e ON e.id = f.expected_frame_timeline_id
JOIN slice AS u ON u.id = f.do_frame_id
JOIN android_frames_draw_frame AS r ON r.frame_id = f.frame_id AND r.upid = f.upid
JOIN slice AS d ON d.id = r.id
GROUP BY f.do_frame_id
ORDER BY f.frame_id;

-- How late the app began with each frame.
CREATE PERFETTO TABLE android_app_vsync_delay_per_frame(
  -- The frame (joins android_frames.frame_id).
  frame_id LONG,
  -- Start of the actual less that of the expected frame in ns.
  app_vsync_delay LONG
) AS
SELECT frame_id, app_vsync_delay
FROM _frame_costs;

-- What each frame cost in time.
CREATE PERFETTO TABLE android_cpu_time_per_frame(
  -- The frame (joins android_frames.frame_id).
  frame_id LONG,
  -- Start of the actual less that of the expected frame in ns.
  app_vsync_delay LONG,
  -- Duration of the frame's doFrame slice.
  do_frame_dur DURATION,
  -- Duration of the frame's drawings on the render thread, summed.
  draw_frame_dur DURATION,
  -- Sum of the other three in ns.
  cpu_time LONG
) AS
SELECT frame_id, app_vsync_delay, do_frame_dur, draw_frame_dur,
  app_vsync_delay + do_frame_dur + draw_frame_dur AS cpu_time
FROM _frame_costs;

-- Where not all of the work is known it is taken for the UI thread's and 5 ms.
CREATE PERFETTO VIEW _cpu_time_per_frame_fallback(frame_id LONG, estimated_cpu_time LONG) AS
SELECT frame_id, ui_time + time_from_ms(5) AS estimated_cpu_time FROM android_frames_ui_time;

CREATE PERFETTO VIEW _estimated_cpu_time_per_frame(frame_id LONG, cpu_time LONG) AS
SELECT frame_id, coalesce(known.cpu_time, estimated_cpu_time) AS cpu_time
FROM _cpu_time_per_frame_fallback
LEFT JOIN android_cpu_time_per_frame AS known USING (frame_id);

-- Measures of jank for each frame. Flags are TRUE or NULL. A frame is slow from 20 ms of work on,
-- jank is big from 50 ms and huge from 200 ms.
CREATE PERFETTO TABLE android_frame_stats(
  -- The frame (joins android_frames.frame_id).
  frame_id LONG,
  -- How long after its deadline the frame was done in ns; negative for early ones.
  overrun LONG,
  -- What the frame cost in ns, as in android_cpu_time_per_frame, else estimated from `ui_time`.
  cpu_time LONG,
  -- Duration of the frame's doFrame slice in ns.
  ui_time LONG,
  -- The frame missed its deadline.
  was_jank BOOL,
  -- `cpu_time` is above 20 ms.
  was_slow_frame BOOL,
  -- `cpu_time` is above 50 ms.
  was_big_jank BOOL,
  -- `cpu_time` is above 200 ms.
  was_huge_jank BOOL
) AS
SELECT o.frame_id, o.overrun, w.cpu_time, u.ui_time, iif(o.overrun > 0, TRUE, NULL) AS was_jank,
  iif(w.cpu_time > 20000000, TRUE, NULL) AS was_slow_frame,
  iif(w.cpu_time > 50000000, TRUE, NULL) AS was_big_jank,
  iif(w.cpu_time > 200000000, TRUE, NULL) AS was_huge_jank
FROM android_frames_overrun AS o
JOIN android_frames_ui_time AS u USING (frame_id)
JOIN _estimated_cpu_time_per_frame AS w USING (frame_id);
