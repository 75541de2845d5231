-- The battery's counters, how long the screen was on and the device slept, and mean power.
INCLUDE PERFETTO MODULE android.battery;
INCLUDE PERFETTO MODULE android.screen_state;
INCLUDE PERFETTO MODULE android.suspend;

CREATE OR REPLACE PERFETTO TABLE _sleep AS
SELECT ts, dur FROM android_suspend_state WHERE power_state = 'suspended';

CREATE OR REPLACE PERFETTO TABLE _screen AS
SELECT id, ts, dur, simple_screen_state AS state FROM android_screen_state;

CREATE OR REPLACE PERFETTO VIEW _screen_time AS
SELECT
  sum(dur) FILTER (WHERE state = 'off') AS off,
  sum(dur) FILTER (WHERE state = 'on') AS lit,
  sum(dur) FILTER (WHERE state = 'doze') AS doze
FROM _screen;

CREATE OR REPLACE PERFETTO VIEW _sleep_by_screen AS
SELECT s.state, sum(min(s.ts + s.dur, z.ts + z.dur) - max(s.ts, z.ts)) AS dur
FROM _screen AS s
JOIN _sleep AS z ON z.ts < s.ts + s.dur AND z.ts + z.dur > s.ts
GROUP BY s.state;

-- What the battery held at first and at last: charge times voltage, uAh and uV.
CREATE OR REPLACE PERFETTO VIEW _battery_power AS
SELECT
  (SELECT avg(power_mw) FROM android_battery_charge) AS mean_mw,
  (a.charge_uah * a.voltage_uv - b.charge_uah * b.voltage_uv) / 1e9
    / ((b.ts - a.ts) / 3600e9) AS mean_from_charge_mw
FROM (
  SELECT min(ts) AS first_ts, max(ts) AS last_ts FROM android_battery_charge
  WHERE charge_uah IS NOT NULL AND voltage_uv IS NOT NULL
)
LEFT JOIN android_battery_charge AS a ON a.ts = first_ts
LEFT JOIN android_battery_charge AS b ON b.ts = last_ts AND last_ts > first_ts;

CREATE OR REPLACE PERFETTO VIEW _battery_aggregates AS
SELECT AndroidBatteryMetric_BatteryAggregates(
  'total_screen_off_ns', t.off,
  'total_screen_on_ns', t.lit,
  'total_screen_doze_ns', t.doze,
  'sleep_ns', (SELECT sum(dur) FROM _sleep),
  'sleep_screen_off_ns', (SELECT dur FROM _sleep_by_screen WHERE state = 'off'),
  'sleep_screen_on_ns', (SELECT dur FROM _sleep_by_screen WHERE state = 'on'),
  'sleep_screen_doze_ns', (SELECT dur FROM _sleep_by_screen WHERE state = 'doze'),
  'avg_power_mw', p.mean_mw,
  'avg_power_from_charge_diff_mw', p.mean_from_charge_mw) AS message
FROM _screen_time AS t, _battery_power AS p;

CREATE OR REPLACE PERFETTO VIEW android_batt_output AS
SELECT AndroidBatteryMetric(
  'battery_counters', (
    SELECT RepeatedField(AndroidBatteryMetric_BatteryCounters(
      'timestamp_ns', ts,
      'charge_counter_uah', charge_uah,
      'capacity_percent', capacity_percent,
      'current_ua', current_ua,
      'current_avg_ua', current_avg_ua,
      'voltage_uv', voltage_uv))
    FROM (SELECT * FROM android_battery_charge ORDER BY ts)
  ),
  'battery_aggregates', (SELECT null_if_empty(message) FROM _battery_aggregates),
  'suspend_period', (
    SELECT RepeatedField(AndroidBatteryMetric_SuspendPeriod('timestamp_ns', ts, 'duration_ns', dur))
    FROM (SELECT * FROM _sleep ORDER BY ts)
  )
) AS message;
