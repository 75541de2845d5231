-- Critical user journeys (CUJs) whose smoothness apps report: slices J<NAME> of processes.

INCLUDE PERFETTO MODULE android.frames.timeline;
INCLUDE PERFETTO MODULE slices.with_context;

-- Journeys whose smoothness (J) or latency (L) counts, numbered by kind.
CREATE PERFETTO TABLE _cujs AS
SELECT row_number() OVER (PARTITION BY substr(name, 1, 1) ORDER BY ts, id) AS cuj_id,
  substr(name, 1, 1) AS kind, upid, process_name, name AS cuj_slice_name,
  substr(name, 3, length(name) - 3) AS cuj_name, id AS slice_id, ts, ts + dur AS ts_end, dur
FROM process_slice
WHERE (name GLOB 'J<*>' OR name GLOB 'L<*>') AND dur > 0;

-- Instants of a journey: "FT#end#0" on a track of its name, in older versions "J<NAME>#FT#end#0";
-- "J<NAME>#UIThread" is on the thread that draws.
CREATE PERFETTO TABLE _cuj_markers AS
SELECT c.cuj_id, m.marker, m.utid
FROM (
  SELECT ts, upid, utid, iif(name GLOB 'FT#*', track_name, regexp_extract(name, '^(J<[^>]*>)#'))
    AS cuj_slice_name, regexp_extract(name, '(FT#.*|UIThread)$') AS marker
  FROM thread_or_process_slice
  WHERE name GLOB 'FT#*' OR name GLOB 'J<*>#FT#*' OR name GLOB 'J<*>#UIThread'
) AS m
JOIN _cujs AS c ON c.cuj_slice_name = m.cuj_slice_name AND c.upid = m.upid AND m.ts >= c.ts
  AND m.ts < c.ts_end
WHERE c.kind = 'J';

CREATE PERFETTO TABLE _cuj_marks AS
SELECT c.cuj_id,
  CASE
    WHEN max(m.marker GLOB 'FT#cancel*') THEN 'canceled'
    WHEN max(m.marker GLOB 'FT#end*') THEN 'completed'
  END AS state,
  max(m.utid) FILTER (WHERE m.marker = 'UIThread') AS ui_thread,
  max(CAST(regexp_extract(m.marker, 'FT#layerId#(\d+)') AS INTEGER)) AS layer_id,
  max(CAST(regexp_extract(m.marker, 'FT#beginVsync#(\d+)') AS INTEGER)) AS begin_vsync,
  max(CAST(regexp_extract(m.marker, 'FT#endVsync#(\d+)') AS INTEGER)) AS end_vsync
FROM _cujs AS c
LEFT JOIN _cuj_markers AS m ON m.cuj_id = c.cuj_id
WHERE c.kind = 'J'
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
SELECT c.cuj_id, c.upid, c.process_name, c.cuj_slice_name, c.cuj_name, c.slice_id, c.ts, c.ts_end,
  c.dur, m.state, m.ui_thread, m.layer_id, m.begin_vsync, m.end_vsync
FROM _cujs AS c
JOIN _cuj_marks AS m ON m.cuj_id = c.cuj_id
WHERE c.kind = 'J' AND (m.state = 'completed' OR m.state IS NULL AND c.dur > 4000000)
ORDER BY c.ts;

-- The frames of a journey, by layer: of its thread, between its first and last vsync.
CREATE PERFETTO TABLE _cuj_frames AS
SELECT c.cuj_id, c.layer_id AS cuj_layer_id, f.layer_id, f.layer_name, f.frame_id, f.do_frame_id,
  f.actual_frame_timeline_id, f.expected_frame_timeline_id, f.ts, f.ts_end
FROM android_jank_cuj AS c
JOIN android_frames_layers AS f ON f.ui_thread_utid = c.ui_thread AND f.layer_id IS NOT NULL
  AND f.frame_id BETWEEN c.begin_vsync AND c.end_vsync AND f.ts <= c.ts_end AND f.ts_end >= c.ts
  AND (f.ts >= c.ts OR f.ts_end <= c.ts_end);

-- One row per journey whose layer is known. The layer that a journey named, else the one layer that
-- all its frames drew.
CREATE PERFETTO TABLE android_jank_cuj_layer_name(
  -- The journey (joins android_jank_cuj.cuj_id).
  cuj_id LONG,
  -- Name of the layer that it drew.
  layer_name STRING
) AS
SELECT cuj_id, max(layer_name) AS layer_name
FROM _cuj_frames
WHERE layer_id = cuj_layer_id
GROUP BY cuj_id
UNION ALL
SELECT cuj_id, max(layer_name)
FROM (
  SELECT cuj_id, max(layer_name) AS layer_name, count(DISTINCT layer_name) AS layers
  FROM _cuj_frames
  WHERE cuj_layer_id IS NULL
  GROUP BY cuj_id, frame_id
)
GROUP BY cuj_id
HAVING max(layers) = 1;
