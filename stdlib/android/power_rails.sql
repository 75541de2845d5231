-- The energy that power rails took, where the device measures it.

INCLUDE PERFETTO MODULE counters.intervals;

-- One row per power rail that is measured.
CREATE PERFETTO TABLE android_power_rails_metadata(
  -- Name of the counter track.
  power_rail_name STRING,
  -- Name of the rail on the device.
  raw_power_rail_name STRING,
  -- Name of the rail for people; NULL for rails without one.
  friendly_name STRING,
  -- The counter's track.
  track_id JOINID(track.id),
  -- Part of the device that the rail feeds; NULL if not told.
  subsystem_name STRING,
  -- The machine.
  machine_id JOINID(machine.id)
) AS
SELECT name AS power_rail_name, extract_arg(source_arg_set_id, 'raw_name') AS raw_power_rail_name,
  iif(name GLOB 'power.rails.*', substr(name, length('power.rails.') + 1), NULL) AS friendly_name,
  id AS track_id, extract_arg(source_arg_set_id, 'subsystem_name') AS subsystem_name, machine_id
FROM track
WHERE type = 'power_rails';

-- One row per reading of a rail's energy meter. Energies are in microjoules, so per nanosecond they
-- are millions of milliwatts.
CREATE PERFETTO TABLE android_power_rails_counters(
  -- The counter's value.
  id ID(counter.id),
  -- When the meter was read.
  ts TIMESTAMP,
  -- Time until the meter reads differently.
  dur DURATION,
  -- Name of the counter track.
  power_rail_name STRING,
  -- Name of the rail on the device.
  raw_power_rail_name STRING,
  -- Energy since boot in microjoules.
  energy_since_boot DOUBLE,
  -- Energy since boot in microjoules at the end of the interval; NULL for the last one.
  energy_since_boot_at_end DOUBLE,
  -- Average power over the interval in mW.
  average_power DOUBLE,
  -- Energy in microjoules since the value before.
  energy_delta DOUBLE,
  -- The counter's track.
  track_id JOINID(track.id),
  -- The same as `energy_since_boot`.
  value DOUBLE
) AS
SELECT c.id, c.ts, c.dur, r.power_rail_name, r.raw_power_rail_name, c.value AS energy_since_boot,
  c.next_value AS energy_since_boot_at_end,
  1e6 * ((c.next_value - c.value) / c.dur) AS average_power, c.delta_value AS energy_delta,
  c.track_id, c.value
FROM counter_leading_intervals!((
  SELECT counter.id, counter.ts, counter.track_id, counter.value
  FROM android_power_rails_metadata AS r
  JOIN counter ON counter.track_id = r.track_id
)) AS c
JOIN android_power_rails_metadata AS r ON r.track_id = c.track_id;
