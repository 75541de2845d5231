-- User journeys of any process by smoothness and latency, and the calls that held them up.

INCLUDE PERFETTO MODULE android.critical_blocking_calls;
INCLUDE PERFETTO MODULE android.cujs.base;

-- The journeys of android_jank_cuj that have frames, bounded by these. From the time at which the
-- first frame was expected to the end of the last one's doFrame.
CREATE PERFETTO TABLE android_sysui_jank_cujs(
  -- The journey (joins android_jank_cuj.cuj_id).
  cuj_id LONG,
  -- The process that reported the journey.
  upid JOINID(process.id),
  -- Name of the process that reported the journey.
  process_name STRING,
  -- Name of the journey's slice, `J<NAME>`.
  cuj_slice_name STRING,
  -- NAME alone.
  cuj_name STRING,
  -- The slice that reported the journey.
  slice_id JOINID(slice.id),
  -- When the first frame was expected to begin.
  ts TIMESTAMP,
  -- When the last frame's doFrame ended.
  ts_end TIMESTAMP,
  -- The time between.
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
WITH bounds AS (
  SELECT f.cuj_id, min(e.ts) AS ts, max(d.ts + d.dur) AS ts_end
  FROM (
    SELECT *, min(frame_id) OVER by_cuj AS first_id, max(frame_id) OVER by_cuj AS last_id
    FROM _all_frames_in_cuj
    WINDOW by_cuj AS (PARTITION BY cuj_id)
  ) AS f
  JOIN slice AS d ON d.id = f.do_frame_id
  LEFT JOIN slice AS e ON e.id = f.expected_frame_timeline_id
  WHERE f.frame_id IN (f.first_id, f.last_id)
  GROUP BY f.cuj_id
)
SELECT c.cuj_id, c.upid, c.process_name, c.cuj_slice_name, c.cuj_name, c.slice_id, b.ts, b.ts_end,
  b.ts_end - b.ts AS dur, c.state, c.ui_thread, c.layer_id, c.begin_vsync, c.end_vsync
FROM android_jank_cuj AS c
JOIN bounds AS b USING (cuj_id)
ORDER BY b.ts;

CREATE PERFETTO TABLE _latency_cuj_tracks AS
SELECT id, name FROM track WHERE name GLOB 'L<*>';

CREATE PERFETTO TABLE _latency_cuj_markers AS
SELECT c.id AS cuj_slice_id, m.name AS marker_type
FROM slice AS c
JOIN _latency_cuj_tracks AS t USING (name)
JOIN slice AS m ON m.track_id = t.id AND m.name IN ('cancel', 'timeout') AND m.dur = 0
  AND m.ts BETWEEN c.ts AND c.ts + c.dur
WHERE c.name GLOB 'L<*>';

-- One row per user journey of which the latency is measured. Instants "cancel" and "timeout" on
-- tracks of the journey's name tell how it ended.
CREATE PERFETTO TABLE android_sysui_latency_cujs(
  -- Number of the journey in order of time, from 1 on, among those that measure latency.
  cuj_id LONG,
  -- The process that reported the journey.
  upid JOINID(process.id),
  -- Name of the process that reported the journey.
  process_name STRING,
  -- Name of the journey's slice, `L<NAME>`.
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
  -- `canceled`, `timeout` or `completed`.
  state STRING
) AS
SELECT row_number() OVER (ORDER BY c.ts, c.id) AS cuj_id, c.upid, p.name AS process_name,
  c.name AS cuj_slice_name, _extract_cuj_name_from_slice(c.name) AS cuj_name, c.id AS slice_id, c.ts,
  c.ts + c.dur AS ts_end, c.dur, CASE
    WHEN max(m.marker_type = 'cancel') THEN 'canceled'
    WHEN max(m.marker_type = 'timeout') THEN 'timeout'
    ELSE 'completed'
  END AS state
FROM process_slice AS c
JOIN process AS p USING (upid)
LEFT JOIN _latency_cuj_markers AS m ON m.cuj_slice_id = c.id
WHERE c.name GLOB 'L<*>' AND c.dur > 0
GROUP BY c.id
ORDER BY c.ts;

-- User journeys of both types. For journeys of latency `ui_thread` is the process, whose main
-- thread is meant.
CREATE PERFETTO TABLE android_jank_latency_cujs(
  -- Number of the journey in order of time, from 1 on.
  cuj_id LONG,
  -- The same as `cuj_id`.
  id LONG,
  -- The process that reported the journey.
  upid JOINID(process.id),
  -- Name of the process that reported the journey.
  process_name STRING,
  -- Name of the journey's slice, `J<NAME>` or `L<NAME>`.
  cuj_slice_name STRING,
  -- NAME alone.
  cuj_name STRING,
  -- The slice that reported the journey.
  slice_id JOINID(slice.id),
  -- When the journey began.
  ts TIMESTAMP,
  -- When the journey ended.
  ts_end TIMESTAMP,
  -- How long the journey lasted.
  dur DURATION,
  -- `completed`, `canceled`, `timeout`; NULL where the trace does not tell.
  state STRING,
  -- The thread that drew the frames, for type `latency` a upid instead.
  ui_thread JOINID(thread.id),
  -- Id that SurfaceFlinger has for the journey's layer; NULL for type `latency`.
  layer_id LONG,
  -- Vsync id of the first frame; NULL for type `latency`.
  begin_vsync LONG,
  -- Vsync id of the last frame; NULL for type `latency`.
  end_vsync LONG,
  -- `jank` or `latency`.
  cuj_type STRING
) AS
SELECT number AS cuj_id, number AS id, upid, process_name, cuj_slice_name, cuj_name, slice_id, ts,
  ts_end, dur, state, ui_thread, layer_id, begin_vsync, end_vsync, cuj_type
FROM (
  SELECT *, row_number() OVER (ORDER BY ts) AS number
  FROM (
    SELECT *, 'jank' AS cuj_type FROM android_sysui_jank_cujs
    UNION ALL
    SELECT *, upid, NULL, NULL, NULL, 'latency' FROM android_sysui_latency_cujs
  )
)
ORDER BY number;

-- Calls on the UI and render threads that fall into a user journey, cut to it. Binder calls stand
-- once more under the name of what they call, the drawing of a layer once more without the layer.
CREATE PERFETTO TABLE android_cuj_blocking_calls(
  -- Slice of the call.
  slice_id JOINID(slice.id),
  -- Name of the call without what differs from one to the next.
  name STRING,
  -- When the call began, not before the journey.
  ts TIMESTAMP,
  -- How long the call lasted within the journey; waiting for a buffer does not count.
  dur DURATION,
  -- When the call ended, not after the journey.
  ts_end TIMESTAMP,
  -- The journey (joins android_jank_latency_cujs.cuj_id).
  cuj_id LONG,
  -- Name of the journey.
  cuj_name STRING,
  -- Name of the process.
  process_name STRING,
  -- The process.
  upid JOINID(process.id),
  -- The thread that made the call.
  utid JOINID(thread.id)
) AS
SELECT s.id AS slice_id, s.name, max(s.ts, c.ts) AS ts,
  min(s.ts + s.dur, c.ts_end) - max(s.ts, c.ts) AS dur, min(s.ts + s.dur, c.ts_end) AS ts_end,
  c.cuj_id, c.cuj_name, s.process_name, s.upid, s.utid
FROM _android_critical_blocking_calls AS s
JOIN android_jank_latency_cujs AS c ON c.upid = s.upid AND s.ts < c.ts_end AND s.ts + s.dur > c.ts
JOIN thread ON thread.utid = s.utid
WHERE iif(c.cuj_type = 'jank', s.utid = c.ui_thread, thread.is_main_thread)
  OR thread.name = 'RenderThread';
