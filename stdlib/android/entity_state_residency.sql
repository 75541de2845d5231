-- How long parts of the device were in which of their states.

-- One row per reading of the time that an entity (e.g. a modem) has been in a state. The counters
-- are in milliseconds since boot, on tracks "Entity residency: ENTITY is STATE".
CREATE PERFETTO TABLE android_entity_state_residency(
  -- The counter's value.
  id ID(counter.id),
  -- When the residency was read.
  ts TIMESTAMP,
  -- Time until the next reading; NULL for the last one.
  dur DURATION,
  -- Name of the entity.
  entity_name STRING,
  -- Name of the state.
  state_name STRING,
  -- Name of the counter track, which has both.
  raw_name STRING,
  -- Time in the state since boot, at `ts`.
  state_time_since_boot DURATION,
  -- Time in the state since boot, at the next reading.
  state_time_since_boot_at_end DURATION,
  -- Share of `dur` spent in the state, from 0 to 1.
  state_time_ratio DOUBLE,
  -- The counter's track.
  track_id JOINID(track.id)
) AS
SELECT id, ts, dur, regexp_extract(raw_name, '^Entity residency: (.*?) is ') AS entity_name,
  regexp_extract(raw_name, '^Entity residency: .*? is (.*)$') AS state_name, raw_name,
  state_time AS state_time_since_boot, next_time AS state_time_since_boot_at_end,
  (next_time - state_time) * 1.0 / dur AS state_time_ratio, track_id
FROM (
  SELECT c.id, c.ts, lead(c.ts) OVER by_track - c.ts AS dur, t.name AS raw_name,
    CAST(c.value * 1e6 AS INTEGER) AS state_time,
    CAST(lead(c.value) OVER by_track * 1e6 AS INTEGER) AS next_time, c.track_id
  FROM counter_track AS t
  JOIN counter AS c ON c.track_id = t.id
  WHERE t.type = 'entity_state'
  WINDOW by_track AS (PARTITION BY c.track_id ORDER BY c.ts)
);
