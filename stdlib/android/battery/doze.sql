-- How idle the system took the device to be (doze), by the quick and the slow of its two state
-- machines.

INCLUDE PERFETTO MODULE counters.intervals;

CREATE PERFETTO MACRO _doze_intervals(track_name Expr) RETURNS TableOrSubquery AS (
  SELECT *
  FROM counter_leading_intervals!((
    SELECT counter.id, counter.ts, 0 AS track_id, counter.value
    FROM counter_track AS t
    JOIN counter ON counter.track_id = t.id
    WHERE t.name = $track_name
  ))
);

-- States of light doze, from the counter DozeLightState.
CREATE PERFETTO TABLE android_light_idle_state(
  -- The counter's value that began the state (joins counter.id).
  id LONG,
  -- When the state began.
  ts TIMESTAMP,
  -- How long the state lasted.
  dur DURATION,
  -- `active`, `inactive`, `idle`, `waiting_for_network`, `idle_maintenance`, `override` or
  -- `unmapped`.
  light_idle_state STRING
) AS
SELECT id, ts, dur,
  CASE value WHEN 0 THEN 'active' WHEN 1 THEN 'inactive' WHEN 4 THEN 'idle'
    WHEN 5 THEN 'waiting_for_network' WHEN 6 THEN 'idle_maintenance' WHEN 7 THEN 'override'
    ELSE 'unmapped' END AS light_idle_state
FROM _doze_intervals!('DozeLightState');

-- States of deep doze, from the counter DozeDeepState.
CREATE PERFETTO TABLE android_deep_idle_state(
  -- The counter's value that began the state (joins counter.id).
  id LONG,
  -- When the state began.
  ts TIMESTAMP,
  -- How long the state lasted.
  dur DURATION,
  -- `active`, `inactive`, `idle_pending`, `sensing`, `locating`, `idle`, `idle_maintenance`,
  -- `quick_doze_delay` or `unmapped`.
  deep_idle_state STRING
) AS
SELECT id, ts, dur,
  CASE value WHEN 0 THEN 'active' WHEN 1 THEN 'inactive' WHEN 2 THEN 'idle_pending'
    WHEN 3 THEN 'sensing' WHEN 4 THEN 'locating' WHEN 5 THEN 'idle' WHEN 6 THEN 'idle_maintenance'
    WHEN 7 THEN 'quick_doze_delay' ELSE 'unmapped' END AS deep_idle_state
FROM _doze_intervals!('DozeDeepState');
