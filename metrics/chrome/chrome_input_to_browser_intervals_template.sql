-- chrome_input_to_browser_intervals: how long updates of scrolls wait for the browser's main thread. A template:
-- `slice_table_name` is where updates and steps are looked for.
INCLUDE PERFETTO MODULE chrome.tasks;

CREATE OR REPLACE PERFETTO TABLE _chrome_valid_update AS
SELECT id, ts, dur, extract_arg(arg_set_id, 'chrome_latency_info.trace_id') AS trace_id
FROM {{slice_table_name}}
WHERE name = 'InputLatency::GestureScrollUpdate'
  AND extract_arg(arg_set_id, 'chrome_latency_info.is_coalesced') = 0;

-- The first step of each update on a process's main thread. What is not within sendTouchEvent was held back by the
-- renderer or made by the GPU's process.
CREATE OR REPLACE PERFETTO TABLE _chrome_first_step AS
SELECT
  id, ts, dur, trace_id, upid,
  (SELECT count(*) FROM ancestor_slice(step.id) WHERE name = 'sendTouchEvent') != 1 AS blocked_gesture
FROM (
  SELECT
    s.id, s.ts, s.dur, u.trace_id, th.upid,
    row_number() OVER (PARTITION BY u.trace_id, th.upid ORDER BY s.ts) AS place
  FROM {{slice_table_name}} AS s
  JOIN _chrome_valid_update AS u
    ON u.trace_id = extract_arg(s.arg_set_id, 'chrome_latency_info.trace_id')
    AND s.ts >= u.ts AND s.ts + s.dur <= u.ts + u.dur
  JOIN thread_track AS t ON t.id = s.track_id
  JOIN thread AS th USING (utid)
  WHERE s.name = 'LatencyInfo.Flow' AND u.trace_id != -1 AND th.is_main_thread
) AS step
WHERE place = 1
ORDER BY trace_id, upid;

-- The interface of the last mojo slice around a step or around what its flows come from.
CREATE OR REPLACE PERFETTO FUNCTION _chrome_interface_around(id LONG) RETURNS STRING AS
WITH near AS (
  SELECT id FROM ancestor_slice($id)
  UNION
  SELECT slice_out FROM preceding_flow($id)
)
SELECT interface_name
FROM _chrome_mojo_slices
WHERE id IN (
  SELECT id FROM near
  UNION
  SELECT a.id FROM near AS n JOIN ancestor_slice(n.id) AS a
)
ORDER BY id DESC
LIMIT 1;

-- An update that nothing held back waits from its own start, the others from the last slice that their flow comes from.
CREATE OR REPLACE PERFETTO TABLE chrome_input_to_browser_intervals AS
SELECT
  s.ts AS window_start_ts,
  window_start_id,
  window_end_ts,
  window_end_id,
  blocked_gesture,
  upid,
  scroll_type
FROM (
  SELECT
    f.id AS window_end_id,
    f.ts AS window_end_ts,
    f.blocked_gesture,
    f.upid,
    iif(
      f.blocked_gesture,
      (SELECT max(slice_out) FROM preceding_flow(f.id)),
      (
        SELECT u.id FROM _chrome_valid_update AS u
        WHERE u.trace_id = f.trace_id AND u.ts <= f.ts AND u.ts + u.dur >= f.ts + f.dur
        ORDER BY u.id
        LIMIT 1
      )) AS window_start_id,
    CASE
      WHEN NOT f.blocked_gesture THEN 'regular'
      ELSE CASE _chrome_interface_around(f.id)
        WHEN 'viz.mojom.BeginFrameObserver' THEN 'fling'
        WHEN 'blink.mojom.WidgetInputHandler' THEN 'blocking_touch_move'
        ELSE 'unknown'
      END
    END AS scroll_type,
    f.trace_id
  FROM _chrome_first_step AS f
)
LEFT JOIN slice AS s ON s.id = window_start_id
ORDER BY trace_id, upid;
