-- What the battery's counters were at each time they were read.

-- One row per reading of the fuel gauge; a column is NULL where its counter was not read. Several
-- batteries are not told apart.
CREATE PERFETTO VIEW android_battery_charge(
  -- When the counters were read.
  ts TIMESTAMP,
  -- Average current in microamperes, over a time that the gauge chooses.
  current_avg_ua DOUBLE,
  -- State of charge in percent of the full capacity.
  capacity_percent DOUBLE,
  -- Remaining charge in microampere-hours.
  charge_uah DOUBLE,
  -- Current in microamperes at this time; its sign for charging depends on the device.
  current_ua DOUBLE,
  -- Voltage in microvolts.
  voltage_uv DOUBLE,
  -- Remaining energy in microwatt-hours.
  energy_counter_uwh DOUBLE,
  -- Power in mW: current, regardless of sign, times voltage.
  power_mw DOUBLE
) AS
SELECT c.ts,
  max(c.value) FILTER (WHERE t.name = 'batt.current.avg_ua') AS current_avg_ua,
  max(c.value) FILTER (WHERE t.name = 'batt.capacity_pct') AS capacity_percent,
  max(c.value) FILTER (WHERE t.name = 'batt.charge_uah') AS charge_uah,
  max(c.value) FILTER (WHERE t.name = 'batt.current_ua') AS current_ua,
  max(c.value) FILTER (WHERE t.name = 'batt.voltage_uv') AS voltage_uv,
  max(c.value) FILTER (WHERE t.name = 'batt.energy_counter_uwh') AS energy_counter_uwh,
  max(c.value) FILTER (WHERE t.name = 'batt.power_mw') AS power_mw
FROM counter_track AS t
JOIN counter AS c ON c.track_id = t.id
WHERE t.name GLOB 'batt.*'
GROUP BY c.ts;
