-- What the battery's counters were at each time they were read.

CREATE PERFETTO VIEW android_battery_charge(
  ts TIMESTAMP, current_avg_ua DOUBLE, capacity_percent DOUBLE, charge_uah DOUBLE,
  current_ua DOUBLE, voltage_uv DOUBLE, energy_counter_uwh DOUBLE, power_mw DOUBLE
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
