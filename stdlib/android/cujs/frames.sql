-- How many frames of each user journey were late, and whose fault that was.

INCLUDE PERFETTO MODULE android.cujs.base;
INCLUDE PERFETTO MODULE android.frames.jank_type;

-- A frame counts once; it is late if it was for any layer of the journey.
CREATE PERFETTO TABLE _cuj_frame_misses AS
SELECT f.cuj_id, f.frame_id, max(android_is_app_jank_type(a.jank_type)) AS app_missed,
  max(android_is_sf_jank_type(a.jank_type)) AS sf_missed
FROM _cuj_frames AS f
JOIN actual_frame_timeline_slice AS a ON a.id = f.actual_frame_timeline_id
LEFT JOIN android_jank_cuj_layer_name AS l ON l.cuj_id = f.cuj_id
WHERE l.layer_name IS NULL OR l.layer_name = f.layer_name
GROUP BY f.cuj_id, f.frame_id;

CREATE PERFETTO TABLE _cuj_frame_counts AS
SELECT cuj_id, count(*) AS frames, sum(app_missed) AS app_missed, sum(sf_missed) AS sf_missed
FROM _cuj_frame_misses
GROUP BY cuj_id;

-- Choreographer's frames on the thread that draws a journey, else on the main thread.
CREATE PERFETTO TABLE _cuj_do_frames AS
SELECT c.cuj_id, c.upid, d.ui_thread_utid AS utid, d.id, d.frame_id AS vsync, d.ts,
  d.ts + s.dur AS ts_end,
  coalesce(lag(d.ts + s.dur) OVER (PARTITION BY c.cuj_id ORDER BY d.frame_id), -1) AS previous_end
FROM android_jank_cuj AS c
JOIN android_frames_choreographer_do_frame AS d ON d.upid = c.upid AND d.frame_id > 0
  AND d.frame_id >= coalesce(c.begin_vsync, d.frame_id)
  AND d.frame_id <= coalesce(c.end_vsync, d.frame_id)
JOIN slice AS s ON s.id = d.id AND d.ts <= c.ts_end AND d.ts + s.dur >= c.ts
JOIN thread ON thread.utid = d.ui_thread_utid
WHERE d.ui_thread_utid = c.ui_thread OR c.ui_thread IS NULL AND thread.is_main_thread;

-- When frames were expected to begin, and when their layers did and ended.
CREATE PERFETTO TABLE _frame_timeline AS
SELECT e.upid, CAST(e.name AS INTEGER) AS vsync, e.ts AS expected_ts, min(a.ts) AS first_ts,
  max(a.ts + a.dur) AS last_end
FROM expected_frame_timeline_slice AS e
JOIN actual_frame_timeline_slice AS a ON a.upid = e.upid AND a.name = e.name
WHERE e.dur > 0
GROUP BY e.upid, vsync, e.ts;

-- The time that a journey's frames take on the thread. A frame begins when it was expected to, but
-- not before the last one ended; where the timeline does not fit (its clock may have drifted, a frame
-- far too late has no expected time), with its callback.
CREATE PERFETTO TABLE _cuj_bounds AS
SELECT d.cuj_id, min(iif(t.vsync IS NULL, d.ts, max(d.previous_end, t.expected_ts))) AS ts,
  max(d.ts_end) AS ts_end
FROM _cuj_do_frames AS d
LEFT JOIN _frame_timeline AS t ON t.upid = d.upid AND t.vsync = d.vsync
  AND d.ts BETWEEN t.first_ts - 1000000 AND t.last_end
GROUP BY d.cuj_id;

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
FROM _cujs AS c
JOIN _cuj_marks AS m ON m.cuj_id = c.cuj_id
JOIN slice AS s ON s.id = c.slice_id
LEFT JOIN _cuj_frame_counts AS n ON n.cuj_id = c.cuj_id
LEFT JOIN android_jank_cuj_layer_name AS l ON l.cuj_id = c.cuj_id
LEFT JOIN _cuj_bounds AS b ON b.cuj_id = c.cuj_id
WHERE c.kind = 'J'
ORDER BY c.cuj_id;
