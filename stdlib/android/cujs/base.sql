-- Critical user journeys (CUJs) whose smoothness apps report: slices J<NAME> of processes.

INCLUDE PERFETTO MODULE android.frames.timeline;
INCLUDE PERFETTO MODULE slices.with_context;

-- The name of a journey out of that of its slice, J<NAME> or L<NAME>.
CREATE PERFETTO FUNCTION _extract_cuj_name_from_slice(cuj_slice_name STRING) RETURNS STRING AS
SELECT substr($cuj_slice_name, 3, length($cuj_slice_name) - 3);

-- Only what comes with Android reports journeys; others may call their slices alike.
CREATE PERFETTO MACRO _is_jank_slice(slice TableOrSubquery, process TableOrSubquery) RETURNS Expr AS
$slice.name GLOB 'J<*>'
AND ($process.name GLOB 'com.google.android*' OR $process.name GLOB 'com.android.*');

CREATE PERFETTO TABLE _jank_cujs_slices AS
SELECT row_number() OVER (ORDER BY s.ts, s.id) AS cuj_id, p.upid, p.name AS process_name,
  s.id AS slice_id, s.name AS cuj_slice_name, s.ts, s.dur, s.ts + s.dur AS ts_end
FROM slice AS s
JOIN process_track AS t ON t.id = s.track_id
JOIN process AS p USING (upid)
WHERE _is_jank_slice!(s, p) AND s.dur > 0;

-- Instants of a journey: "FT#end#0" on a track of its name, in older versions "J<NAME>#FT#end#0";
-- "J<NAME>#UIThread" is on the thread that draws.
CREATE PERFETTO TABLE _cuj_state_markers AS
SELECT c.cuj_id, c.upid, m.marker_type, m.marker_name, m.utid
FROM (
  SELECT s.ts, thread_track.utid, s.name AS marker_name,
    iif(s.name GLOB 'FT#*', t.name, regexp_extract(s.name, '^(J<[^>]*>)#')) AS cuj_slice_name,
    CASE
      WHEN s.name GLOB '*#UIThread' THEN 'UIThread'
      ELSE coalesce(regexp_extract(s.name, 'FT#(begin|deferMonitoring|end|cancel|layerId)'), 'other')
    END AS marker_type
  FROM slice AS s
  JOIN track AS t ON t.id = s.track_id
  LEFT JOIN thread_track ON thread_track.id = s.track_id
  WHERE s.name GLOB 'FT#*' OR s.name GLOB 'J<*>#FT#*' OR s.name GLOB 'J<*>#UIThread'
) AS m
JOIN _jank_cujs_slices AS c ON c.cuj_slice_name = m.cuj_slice_name AND m.ts >= c.ts
  AND m.ts < c.ts_end;

-- What they tell of each journey: its layer, first and last vsync, and the thread that draws.
CREATE PERFETTO TABLE _cuj_instant_events AS
SELECT c.cuj_id, c.upid,
  max(CAST(regexp_extract(m.marker_name, 'layerId#(\d+)') AS INTEGER)) AS layer_id,
  max(CAST(regexp_extract(m.marker_name, 'beginVsync#(\d+)') AS INTEGER)) AS begin_vsync,
  max(CAST(regexp_extract(m.marker_name, 'endVsync#(\d+)') AS INTEGER)) AS end_vsync,
  max(m.utid) FILTER (WHERE m.marker_type = 'UIThread') AS ui_thread
FROM _jank_cujs_slices AS c
LEFT JOIN _cuj_state_markers AS m USING (cuj_id)
GROUP BY c.cuj_id;

-- How each journey ended; NULL where the trace does not tell.
CREATE PERFETTO TABLE _cuj_states AS
SELECT c.cuj_id,
  CASE
    WHEN max(m.marker_type = 'cancel') THEN 'canceled'
    WHEN max(m.marker_type = 'end') THEN 'completed'
  END AS state
FROM _jank_cujs_slices AS c
LEFT JOIN _cuj_state_markers AS m USING (cuj_id)
GROUP BY c.cuj_id;

-- One row per user journey of which jank is counted. Canceled journeys do not count. Old versions
-- do not say so, but then those under 4 ms were.
CREATE PERFETTO TABLE android_jank_cuj(
  -- Number of the journey in order of time, from 1 on, among those that count jank.
  cuj_id LONG,
  -- The process that reported the journey.
  upid JOINID(process.id),
  -- Name of the process that reported the journey.
  process_name STRING,
  -- Name of the journey's slice, `J<NAME>`.
  cuj_slice_name STRING,
  -- NAME alone.
  cuj_name STRING,
  -- Slice of the journey.
  slice_id JOINID(slice.id),
  -- When the journey began.
  ts TIMESTAMP,
  -- When the journey ended.
  ts_end TIMESTAMP,
  -- How long the journey lasted.
  dur DURATION,
  -- `completed`; NULL where the trace does not tell.
  state STRING,
  -- The thread that drew the frames; NULL if the journey does not tell.
  ui_thread JOINID(thread.id),
  -- Id that SurfaceFlinger has for the journey's layer; NULL if the journey does not tell.
  layer_id LONG,
  -- Vsync id of the first frame.
  begin_vsync LONG,
  -- Vsync id of the last frame.
  end_vsync LONG
) AS
SELECT c.cuj_id, c.upid, c.process_name, c.cuj_slice_name,
  _extract_cuj_name_from_slice(c.cuj_slice_name) AS cuj_name, c.slice_id, c.ts, c.ts_end, c.dur,
  s.state, m.ui_thread, m.layer_id, m.begin_vsync, m.end_vsync
FROM _jank_cujs_slices AS c
JOIN _cuj_states AS s USING (cuj_id)
JOIN _cuj_instant_events AS m USING (cuj_id)
WHERE s.state = 'completed' OR s.state IS NULL AND c.dur > 4000000
ORDER BY c.ts;

-- The frames of a journey, canceled or not, by layer: of its thread, between its first and last
-- vsync.
CREATE PERFETTO TABLE _all_frames_in_cuj AS
SELECT _extract_cuj_name_from_slice(c.cuj_slice_name) AS cuj_name, c.upid, c.process_name,
  m.layer_id AS cuj_layer_id, f.layer_id, f.layer_name, f.frame_id, f.do_frame_id,
  f.expected_frame_timeline_id, c.cuj_id, f.ts AS frame_ts, f.dur, f.ts_end, f.ui_thread_utid,
  f.render_thread_utid
FROM _jank_cujs_slices AS c
JOIN _cuj_instant_events AS m USING (cuj_id)
JOIN android_frames_layers AS f ON f.ui_thread_utid = m.ui_thread AND f.layer_id IS NOT NULL
  AND f.frame_id BETWEEN m.begin_vsync AND m.end_vsync
  AND (f.ts BETWEEN c.ts AND c.ts_end OR f.ts_end BETWEEN c.ts AND c.ts_end);

-- One row per journey and frame, from the start of its first layer to the end of its last.
CREATE PERFETTO TABLE _android_distinct_frames_in_cuj AS
SELECT row_number() OVER (PARTITION BY cuj_id ORDER BY min(frame_ts)) AS frame_idx,
  count(*) OVER (PARTITION BY cuj_id) AS frame_cnt, cuj_name, upid, cuj_layer_id,
  layer_id, layer_name, process_name, frame_id, do_frame_id, expected_frame_timeline_id, cuj_id,
  ui_thread_utid, render_thread_utid, min(frame_ts) AS frame_ts, max(ts_end) AS ts_end,
  max(ts_end) - min(frame_ts) AS dur
FROM _all_frames_in_cuj
GROUP BY frame_id, cuj_id;

-- The same for each layer.
CREATE PERFETTO VIEW _android_distinct_frames_layers_cuj AS
SELECT cuj_name, upid, cuj_layer_id, layer_id, layer_name, process_name, frame_id, do_frame_id,
  expected_frame_timeline_id, cuj_id, ui_thread_utid, render_thread_utid, frame_ts, ts_end, dur
FROM _all_frames_in_cuj
GROUP BY frame_id, cuj_id, layer_id;

-- Choreographer's frames on the thread that draws a journey, canceled or not, else on the main
-- thread.
CREATE PERFETTO TABLE _android_jank_cuj_do_frames AS
SELECT c.cuj_id, m.ui_thread, d.ui_thread_utid AS utid, d.id, d.frame_id AS vsync, d.ts, d.upid,
  d.ts + s.dur AS ts_end, s.track_id
FROM _jank_cujs_slices AS c
JOIN _cuj_instant_events AS m USING (cuj_id)
JOIN android_frames_choreographer_do_frame AS d ON d.upid = c.upid AND d.frame_id > 0
  AND d.frame_id >= coalesce(m.begin_vsync, d.frame_id)
  AND d.frame_id <= coalesce(m.end_vsync, d.frame_id)
JOIN slice AS s ON s.id = d.id AND d.ts <= c.ts_end AND d.ts + s.dur >= c.ts
JOIN thread ON thread.utid = d.ui_thread_utid
WHERE d.ui_thread_utid = m.ui_thread OR m.ui_thread IS NULL AND thread.is_main_thread;

-- One row per journey whose layer is known. The layer that a journey named, else the one layer that
-- all its frames drew.
CREATE PERFETTO TABLE android_jank_cuj_layer_name(
  -- The journey (joins android_jank_cuj.cuj_id).
  cuj_id LONG,
  -- Name of the layer that it drew.
  layer_name STRING
) AS
SELECT cuj_id, max(layer_name) AS layer_name
FROM _all_frames_in_cuj
WHERE layer_id = cuj_layer_id
GROUP BY cuj_id
UNION ALL
SELECT cuj_id, max(layer_name)
FROM (
  SELECT cuj_id, max(layer_name) AS layer_name, count(DISTINCT layer_name) AS layers
  FROM _all_frames_in_cuj
  WHERE cuj_layer_id IS NULL
  GROUP BY cuj_id, frame_id
)
GROUP BY cuj_id
HAVING max(layers) = 1;
