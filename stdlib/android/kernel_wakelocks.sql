-- How much of the time that the device was awake a wakelock was held.

INCLUDE PERFETTO MODULE android.suspend;
INCLUDE PERFETTO MODULE counters.intervals;

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
  SELECT c.ts, c.dur, _extract_duration_without_suspend(c.ts, c.dur) AS awake_dur, t.name,
    extract_arg(t.dimension_arg_set_id, 'wakelock_type') AS type,
    CAST(c.next_value - c.value AS INTEGER) AS held_dur
  FROM counter_leading_intervals!((
    SELECT counter.id, counter.ts, counter.track_id, counter.value
    FROM counter_track AS t
    JOIN counter ON counter.track_id = t.id
    WHERE t.type = 'android_kernel_wakelock'
  )) AS c
  JOIN counter_track AS t ON t.id = c.track_id
)
WHERE dur > 0;
