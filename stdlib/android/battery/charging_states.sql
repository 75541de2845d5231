-- Whether the battery was being charged.

INCLUDE PERFETTO MODULE counters.intervals;
INCLUDE PERFETTO MODULE intervals.fill_gaps;

CREATE PERFETTO TABLE _charging_intervals AS
SELECT ts, dur, CAST(value AS INTEGER) AS value
FROM counter_leading_intervals!((
  SELECT counter.id, counter.ts, 0 AS track_id, counter.value
  FROM counter_track AS t
  JOIN counter ON counter.track_id = t.id
  WHERE t.name = 'BatteryStatus'
))
WHERE dur > 0;

-- Charging states over the whole trace, without gaps. The values are those of Android's
-- BatteryManager. What the trace does not tell is unknown.
CREATE PERFETTO TABLE android_charging_states(
  -- Number of the interval in order of time, from 1 on.
  id LONG,
  -- When the state began.
  ts TIMESTAMP,
  -- How long the state lasted.
  dur DURATION,
  -- `charging`, `discharging`, `not_charging`, `full` or `unknown`.
  short_charging_state STRING,
  -- The state to be read: `Charging`, `Not charging` and so on.
  charging_state STRING
) AS
SELECT row_number() OVER (ORDER BY ts) AS id, ts, dur,
  CASE value WHEN 2 THEN 'charging' WHEN 3 THEN 'discharging' WHEN 4 THEN 'not_charging'
    WHEN 5 THEN 'full' ELSE 'unknown' END AS short_charging_state,
  CASE value WHEN 2 THEN 'Charging' WHEN 3 THEN 'Discharging' WHEN 4 THEN 'Not charging'
    WHEN 5 THEN 'Full' ELSE 'Unknown' END AS charging_state
FROM _intervals_fill_gaps!((NULL), (value), _charging_intervals);
