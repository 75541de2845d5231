-- How much of the time that the device was awake a wakelock was held.

INCLUDE PERFETTO MODULE android.suspend;
INCLUDE PERFETTO MODULE counters.intervals;
INCLUDE PERFETTO MODULE intervals.intersect;

CREATE PERFETTO VIEW _kernel_wakelock_track AS
SELECT id, name, extract_arg(dimension_arg_set_id, 'wakelock_type') AS type
FROM track
WHERE track.type = 'android_kernel_wakelock';

-- What each wakelock was held between two readings, the last of which has no end.
CREATE PERFETTO VIEW _android_kernel_wakelocks_base AS
SELECT c.ts, c.ts AS original_ts, c.dur, t.name, hash(t.name) AS name_int, t.type,
  c.next_value - c.value AS held_dur
FROM counter_leading_intervals!((
  SELECT id, ts, track_id, value
  FROM counter
  WHERE track_id IN (SELECT id FROM _kernel_wakelock_track)
)) AS c
JOIN _kernel_wakelock_track AS t ON t.id = c.track_id;

-- What each wakelock was held between two readings.
CREATE PERFETTO TABLE _wakelock_held AS
SELECT c.id, c.ts, c.dur, t.name, extract_arg(t.dimension_arg_set_id, 'wakelock_type') AS type,
  CAST(c.next_value - c.value AS INTEGER) AS held_dur, t.machine_id
FROM counter_leading_intervals!((
  SELECT counter.id, counter.ts, counter.track_id, counter.value
  FROM counter_track AS t
  JOIN counter ON counter.track_id = t.id
  WHERE t.type = 'android_kernel_wakelock'
)) AS c
JOIN counter_track AS t ON t.id = c.track_id
WHERE c.dur > 0;

-- When the device was awake and when it was suspended.
CREATE PERFETTO TABLE _wakelock_awake AS
SELECT row_number() OVER (ORDER BY ts) AS id, ts, dur, power_state, machine_id
FROM android_suspend_state
WHERE dur > 0;

-- One row per wakelock and pair of successive readings.
CREATE PERFETTO TABLE android_kernel_wakelocks(
  -- When the earlier reading was.
  ts TIMESTAMP,
  -- Time until the later one.
  dur DURATION,
  -- The part of `dur` that the device was awake.
  awake_dur DURATION,
  -- Name of the wakelock.
  name STRING,
  -- `kernel`, `native` or `unknown`.
  type STRING,
  -- Time that the wakelock was held, in ns.
  held_dur DURATION,
  -- `held_dur` by `awake_dur`, from 0 to 1.
  held_ratio DOUBLE
) AS
SELECT ts, dur, awake_dur, name, type, held_dur,
  max(0.0, min(1.0, held_dur * 1.0 / awake_dur)) AS held_ratio
FROM (
  SELECT held.ts, sum(met.dur) AS dur,
    sum(iif(state.power_state = 'awake', met.dur, 0)) AS awake_dur, held.name, held.type,
    held.held_dur
  FROM _interval_intersect!((_wakelock_held, _wakelock_awake), (machine_id)) AS met
  JOIN _wakelock_held AS held ON held.id = met.id_0
  JOIN _wakelock_awake AS state ON state.id = met.id_1
  GROUP BY held.ts, held.name, held.type, held.held_dur
);
