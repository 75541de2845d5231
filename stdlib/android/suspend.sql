-- When machines were awake and when they were suspended, over the whole trace.

INCLUDE PERFETTO MODULE intervals.fill_gaps;

-- Machines with the short form of the kernel's events do not need the steps of the long one. What
-- reaches into the next suspension has lost its end, and does not count. In the short form a
-- suspension that never ends counts with its length of -1: a nanosecond before it is awake twice.
CREATE PERFETTO TABLE _suspensions AS
WITH steps AS (
  SELECT t.machine_id, t.type = 'suspend_resume_minimal' AS is_short, s.ts, s.dur
  FROM track AS t
  JOIN slice AS s ON s.track_id = t.id
  WHERE t.type = 'suspend_resume_minimal' OR t.name = 'Suspend/Resume Latency' AND s.dur <> -1
    AND s.name IN ('syscore_resume(0)', 'timekeeping_freeze(0)')
)
SELECT machine_id, ts, dur
FROM (
  SELECT machine_id, ts, dur,
    lead(ts, 1, trace_end()) OVER (PARTITION BY machine_id ORDER BY ts) - ts - dur AS gap
  FROM steps
  WHERE is_short OR machine_id NOT IN (SELECT machine_id FROM steps WHERE is_short)
)
WHERE gap >= 0
ORDER BY ts;

-- States of each machine over the whole trace, without gaps. Of other machines than the first it is
-- not known that they were awake where they tell nothing.
CREATE PERFETTO TABLE android_suspend_state(
  -- When the state began.
  ts TIMESTAMP,
  -- How long the state lasted.
  dur DURATION,
  -- `awake` or `suspended`.
  power_state STRING,
  -- The machine.
  machine_id JOINID(machine.id)
) AS
SELECT ts, dur, coalesce(power_state, 'awake') AS power_state, machine_id
FROM _intervals_fill_gaps!((machine_id), (power_state), (
  SELECT ts, dur, machine_id, 'suspended' AS power_state FROM _suspensions
  UNION ALL
  SELECT NULL, NULL, 0, NULL
))
ORDER BY ts, machine_id;

-- An interval's length on the clock that stands still while the device is suspended.
CREATE PERFETTO FUNCTION _extract_duration_without_suspend(
  ts TIMESTAMP, dur DURATION
) RETURNS LONG AS
SELECT to_monotonic($ts + $dur) - to_monotonic($ts);
