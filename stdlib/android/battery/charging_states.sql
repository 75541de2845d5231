-- Whether the battery was being charged.

INCLUDE PERFETTO MODULE counters.intervals;

CREATE PERFETTO TABLE _charging_counter AS
SELECT counter.id, counter.ts, 0 AS track_id, counter.value
FROM counter_track AS t
JOIN counter ON counter.track_id = t.id
WHERE t.name = 'BatteryStatus';

-- The values are those of Android's BatteryManager. Of a trace that does not tell, all is unknown.
CREATE PERFETTO TABLE android_charging_states(
  id LONG, ts TIMESTAMP, dur DURATION, short_charging_state STRING, charging_state STRING
) AS
WITH states AS (
  SELECT id, ts, dur, value
  FROM counter_leading_intervals!(_charging_counter)
  WHERE dur > 0
  UNION ALL
  SELECT 1, trace_start(), trace_dur(), 1
  WHERE NOT EXISTS (SELECT 1 FROM _charging_counter) AND trace_dur() > 0
)
SELECT id, ts, dur,
  CASE value WHEN 2 THEN 'charging' WHEN 3 THEN 'discharging' WHEN 4 THEN 'not_charging'
    WHEN 5 THEN 'full' ELSE 'unknown' END AS short_charging_state,
  CASE value WHEN 2 THEN 'Charging' WHEN 3 THEN 'Discharging' WHEN 4 THEN 'Not charging'
    WHEN 5 THEN 'Full' ELSE 'Unknown' END AS charging_state
FROM states;
