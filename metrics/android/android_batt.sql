-- The battery's counters, how long the screen was on and the device slept, and mean power.
INCLUDE PERFETTO MODULE android.battery;
INCLUDE PERFETTO MODULE android.suspend;
INCLUDE PERFETTO MODULE counters.intervals;
INCLUDE PERFETTO MODULE intervals.overlap;

CREATE OR REPLACE PERFETTO TABLE _sleep AS
SELECT ts, dur FROM android_suspend_state WHERE power_state = 'suspended';

-- The times between values of a counter, whichever track has it.
CREATE OR REPLACE PERFETTO FUNCTION _counter_spans(name STRING)
RETURNS TABLE(ts TIMESTAMP, dur DURATION, value DOUBLE) AS
WITH named AS (
  SELECT c.id, c.ts, 0 AS track_id, c.value
  FROM counter AS c
  JOIN counter_track AS t ON t.id = c.track_id
  WHERE t.name = $name
)
SELECT ts, dur, value FROM counter_leading_intervals!(named);

-- What ScreenState tells, and how much of it the device slept.
CREATE OR REPLACE PERFETTO TABLE _screen AS
SELECT
  s.dur,
  CAST(s.value AS INT) AS state,
  (
    SELECT sum(min(s.ts + s.dur, z.ts + z.dur) - max(s.ts, z.ts)) FROM _sleep AS z
    WHERE z.ts < s.ts + s.dur AND z.ts + z.dur > s.ts
  ) AS sleep_dur
FROM _counter_spans('ScreenState') AS s;

CREATE OR REPLACE PERFETTO FUNCTION _screen_time(state LONG)
RETURNS LONG AS
SELECT sum(iif(state = $state, dur, 0)) FROM _screen;

CREATE OR REPLACE PERFETTO FUNCTION _screen_sleep(state LONG)
RETURNS LONG AS
SELECT sum(iif(state = $state, ifnull(sleep_dur, 0), 0)) FROM _screen;

CREATE OR REPLACE PERFETTO TABLE _wakelock AS
SELECT ts, dur FROM slice WHERE name GLOB 'WakeLock *' AND dur != -1;

-- What the battery held, in Wh, at first and at last: what its gauge says, else charge (uAh) times
-- voltage (uV).
CREATE OR REPLACE PERFETTO FUNCTION _battery_power_mw()
RETURNS DOUBLE AS
WITH held AS (
  SELECT ts, ifnull(energy_counter_uwh / 1e6, charge_uah * voltage_uv / 1e12) AS energy
  FROM android_battery_charge
),
ends AS (
  SELECT min(ts) AS first_ts, max(ts) AS last_ts FROM held WHERE energy IS NOT NULL
)
SELECT (a.energy - b.energy) * 3600 * 1e3 / ((b.ts - a.ts) / 1e9)
FROM ends
JOIN held AS a ON a.ts = first_ts
JOIN held AS b ON b.ts = last_ts AND last_ts > first_ts;

CREATE OR REPLACE PERFETTO VIEW _battery_aggregates AS
SELECT AndroidBatteryMetric_BatteryAggregates(
  'total_screen_off_ns', _screen_time(1),
  'total_screen_on_ns', _screen_time(2),
  'total_screen_doze_ns', _screen_time(3),
  'sleep_ns', (SELECT sum(dur) FROM _sleep),
  'sleep_screen_off_ns', _screen_sleep(1),
  'sleep_screen_on_ns', _screen_sleep(2),
  'sleep_screen_doze_ns', _screen_sleep(3),
  'total_wakelock_ns', (SELECT sum(dur) FROM interval_merge_overlapping!(_wakelock, 0)),
  'avg_power_mw', (SELECT sum(value * dur) / sum(dur) FROM _counter_spans('batt.power_mw')),
  'avg_power_from_charge_diff_mw', _battery_power_mw()) AS message;

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
