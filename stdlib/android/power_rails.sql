-- The energy that power rails took, where the device measures it.

INCLUDE PERFETTO MODULE counters.intervals;

CREATE PERFETTO TABLE android_power_rails_metadata(
  power_rail_name STRING, raw_power_rail_name STRING, friendly_name STRING,
  track_id JOINID(track.id), subsystem_name STRING, machine_id JOINID(machine.id)
) AS
SELECT name AS power_rail_name, extract_arg(source_arg_set_id, 'raw_name') AS raw_power_rail_name,
  iif(name GLOB 'power.rails.*', substr(name, length('power.rails.') + 1), NULL) AS friendly_name,
  id AS track_id, extract_arg(source_arg_set_id, 'subsystem_name') AS subsystem_name, machine_id
FROM track
WHERE type = 'power_rails';

-- Energies are in microjoules, so per nanosecond they are millions of milliwatts.
CREATE PERFETTO TABLE android_power_rails_counters(
  id ID(counter.id), ts TIMESTAMP, dur DURATION, power_rail_name STRING,
  raw_power_rail_name STRING, energy_since_boot DOUBLE, energy_since_boot_at_end DOUBLE,
  average_power DOUBLE, energy_delta DOUBLE, track_id JOINID(track.id), value DOUBLE
) AS
SELECT c.id, c.ts, c.dur, r.power_rail_name, r.raw_power_rail_name, c.value AS energy_since_boot,
  c.next_value AS energy_since_boot_at_end,
  1e6 * ((c.next_value - c.value) / c.dur) AS average_power, c.delta_value AS energy_delta, c.track_id, c.value
FROM counter_leading_intervals!((
  SELECT counter.id, counter.ts, counter.track_id, counter.value
  FROM android_power_rails_metadata AS r
  JOIN counter ON counter.track_id = r.track_id
)) AS c
JOIN android_power_rails_metadata AS r ON r.track_id = c.track_id;
