-- How long parts of the device were in which of their states.

-- The counters are in milliseconds since boot, on tracks "Entity residency: ENTITY is STATE".
CREATE PERFETTO TABLE android_entity_state_residency(
  id ID(counter.id), ts TIMESTAMP, dur DURATION, entity_name STRING, state_name STRING,
  raw_name STRING, state_time_since_boot DURATION, state_time_since_boot_at_end DURATION,
  state_time_ratio DOUBLE, track_id JOINID(track.id)
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
