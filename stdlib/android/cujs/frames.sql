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

-- One row per journey with its frames counted.
CREATE PERFETTO TABLE android_jank_cuj_slice_summary(
  -- The journey (joins android_jank_cuj.cuj_id).
  cuj_id LONG,
  -- Name of the journey.
  name STRING,
  -- Name of the process that reported the journey.
  process_name STRING,
  -- `completed`; NULL where the trace does not tell.
  state STRING,
  -- Frames of the journey's layer, or of all its layers if that is not known.
  total_frames LONG,
  -- Frames that were late by the app's fault.
  missed_app_frames LONG,
  -- Frames that were late by the fault of SurfaceFlinger or what is below it.
  missed_sf_frames LONG,
  -- The journey's layer; NULL if not known.
  layer_name STRING,
  -- When the journey's slice began.
  ts TIMESTAMP,
  -- How long the journey's slice lasted.
  dur DURATION,
  -- The slice's track.
  track_id JOINID(track.id),
  -- The slice itself.
  slice_id JOINID(slice.id)
) AS
SELECT c.cuj_id, c.cuj_name AS name, c.process_name, c.state, count(m.frame_id) AS total_frames,
  coalesce(sum(m.app_missed), 0) AS missed_app_frames,
  coalesce(sum(m.sf_missed), 0) AS missed_sf_frames, l.layer_name, c.ts, c.dur, s.track_id,
  c.slice_id
FROM android_jank_cuj AS c
JOIN slice AS s ON s.id = c.slice_id
LEFT JOIN _cuj_frame_misses AS m ON m.cuj_id = c.cuj_id
LEFT JOIN android_jank_cuj_layer_name AS l ON l.cuj_id = c.cuj_id
GROUP BY c.cuj_id;
