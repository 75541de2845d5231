-- Jank of the gestures that have a start, updates and an end, as latency slices know them. A template: `prefix` is what the
-- message's fields call the gesture, `gesture_start`, `gesture_update` and `gesture_end` are the events, `id_field` is the
-- argument that numbers gestures, `proto_name` the message.
--
-- An update is janky if it takes more than half a frame longer than the update before or behind it in the same gesture.
-- The budget, by how much it is longer than that, is in ns, whatever the message calls it: so it was published.
INCLUDE PERFETTO MODULE chrome.vsync_intervals;

-- Starts and ends of gestures.
CREATE OR REPLACE PERFETTO TABLE _{{prefix}}_edge AS
SELECT
  name = 'InputLatency::{{gesture_start}}' AS is_start,
  ts,
  ts + dur AS end_ts,
  extract_arg(arg_set_id, 'chrome_latency_info.{{id_field}}') AS gesture,
  extract_arg(arg_set_id, 'chrome_latency_info.trace_id') AS trace_id
FROM slice
WHERE name IN ('InputLatency::{{gesture_start}}', 'InputLatency::{{gesture_end}}');

-- Of a gesture without number the first end behind its start is the end.
CREATE OR REPLACE PERFETTO TABLE _{{prefix}}_gesture AS
SELECT
  b.trace_id AS first_trace_id,
  e.trace_id AS last_trace_id,
  coalesce(b.gesture, b.trace_id) AS gesture,
  b.ts AS begin_ts,
  e.ts AS last_ts,
  e.end_ts,
  chrome_calculate_avg_vsync_interval(b.ts, e.ts) AS frame_ns
FROM _{{prefix}}_edge AS b
JOIN _{{prefix}}_edge AS e
  ON NOT e.is_start AND e.trace_id > b.trace_id
  AND iif(
    b.gesture IS NOT NULL,
    e.gesture = b.gesture,
    e.trace_id = (
      SELECT min(trace_id) FROM _{{prefix}}_edge WHERE NOT is_start AND trace_id > b.trace_id))
WHERE b.is_start;

-- Updates that ended on the screen, not those that became part of another one.
CREATE OR REPLACE PERFETTO TABLE _{{prefix}}_update AS
SELECT
  id,
  track_id,
  ts,
  dur,
  extract_arg(arg_set_id, 'chrome_latency_info.{{id_field}}') AS gesture,
  extract_arg(arg_set_id, 'chrome_latency_info.trace_id') AS trace_id
FROM slice
WHERE name = 'InputLatency::{{gesture_update}}'
  AND dur != -1
  AND extract_arg(arg_set_id, 'chrome_latency_info.is_coalesced') = 0
  AND arg_set_id IN (
    SELECT arg_set_id FROM args
    WHERE flat_key = 'chrome_latency_info.component_info.component_type'
      AND string_value = 'COMPONENT_INPUT_EVENT_GPU_SWAP_BUFFER');

CREATE OR REPLACE PERFETTO TABLE _{{prefix}}_frame AS
SELECT
  u.id,
  u.track_id,
  u.trace_id,
  u.ts,
  u.dur,
  coalesce(u.gesture, g.first_trace_id) AS gesture,
  g.begin_ts,
  g.frame_ns,
  max(g.end_ts, u.ts + u.dur) AS gesture_end_ts,
  u.dur / g.frame_ns AS frames
FROM _{{prefix}}_gesture AS g
JOIN _{{prefix}}_update AS u
  ON u.ts BETWEEN g.begin_ts AND g.last_ts
  AND u.trace_id > g.first_trace_id
  AND u.trace_id < g.last_trace_id
  AND (u.gesture IS NULL OR u.gesture = g.gesture);

-- How many frames an update takes longer than its neighbours. A neighbour of another gesture, or from beyond this one's
-- times, tells nothing about jank; the budget is measured against it all the same.
CREATE OR REPLACE PERFETTO TABLE _{{prefix}}_neighbours AS
SELECT
  *,
  frames - lag(frames) OVER updates AS longer_than_last,
  frames - lead(frames) OVER updates AS longer_than_next,
  lag(gesture) OVER updates = gesture
    AND lag(ts) OVER updates BETWEEN begin_ts AND gesture_end_ts AS has_last,
  lead(gesture) OVER updates = gesture
    AND lead(ts) OVER updates BETWEEN begin_ts AND gesture_end_ts AS has_next
FROM _{{prefix}}_frame
WINDOW updates AS (ORDER BY gesture, ts);

-- Each update and whether it was janky; a difference of exactly half a frame is none, however it was rounded.
CREATE OR REPLACE PERFETTO TABLE {{prefix}}_jank AS
SELECT
  id AS slice_id,
  id,
  track_id,
  trace_id,
  ts,
  dur,
  gesture AS {{id_field}},
  frame_ns AS avg_vsync_interval,
  gesture_end_ts - begin_ts AS {{prefix}}_dur,
  ifnull(has_last AND longer_than_last > 0.5 + 1e-9, 0)
    OR ifnull(has_next AND longer_than_next > 0.5 + 1e-9, 0) AS jank,
  (coalesce(max(longer_than_last, longer_than_next), longer_than_last, longer_than_next)
    - 0.5 - 1e-9) * frame_ns AS jank_budget
FROM _{{prefix}}_neighbours
ORDER BY gesture, ts;

CREATE OR REPLACE PERFETTO VIEW {{prefix}}_jank_output AS
SELECT {{proto_name}}(
  '{{prefix}}_jank_percentage', sum(iif(jank, dur, 0)) * 100.0 / sum(dur),
  '{{prefix}}_ms', (
    SELECT sum(longest) / 1e6
    FROM (SELECT max({{prefix}}_dur) AS longest FROM {{prefix}}_jank GROUP BY {{id_field}})),
  '{{prefix}}_processing_ms', sum(dur) / 1e6,
  '{{prefix}}_jank_processing_ms', sum(dur) FILTER (WHERE jank) / 1e6,
  'num_{{prefix}}_update_count', count(*),
  'num_{{prefix}}_update_jank_count', sum(jank),
  '{{prefix}}_jank_budget_ms', sum(jank_budget) FILTER (WHERE jank)
) AS message
FROM {{prefix}}_jank;
