-- When machines were awake and when they were suspended, over the whole trace.

-- Machines with the short form of the kernel's events do not need the steps of the long one. What
-- reaches into the next suspension has lost its end, and does not count.
CREATE PERFETTO TABLE _suspensions AS
WITH steps AS (
  SELECT t.machine_id, t.type = 'suspend_resume_minimal' AS is_short, s.ts, s.dur
  FROM track AS t
  JOIN slice AS s ON s.track_id = t.id
  WHERE s.dur <> -1 AND (t.type = 'suspend_resume_minimal' OR t.name = 'Suspend/Resume Latency'
    AND s.name IN ('syscore_resume(0)', 'timekeeping_freeze(0)'))
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
SELECT ts, ts_end - ts AS dur, iif(suspensions > 0, 'suspended', 'awake') AS power_state, machine_id
FROM (
  SELECT machine_id, ts, coalesce(lead(ts) OVER by_machine, trace_end()) AS ts_end,
    sum(change) OVER by_machine AS suspensions
  FROM (
    SELECT machine_id, ts, sum(change) AS change
    FROM (
      SELECT id AS machine_id, trace_start() AS ts, 0 AS change
      FROM machine
      WHERE id = 0 OR id IN (SELECT machine_id FROM _suspensions)
      UNION ALL
      SELECT machine_id, ts, 1 FROM _suspensions
      UNION ALL
      SELECT machine_id, ts + dur, -1 FROM _suspensions
    )
    GROUP BY machine_id, ts
  )
  WINDOW by_machine AS (PARTITION BY machine_id ORDER BY ts)
)
WHERE ts_end > ts
ORDER BY ts, machine_id;

-- An interval's length on the clock that stands still while the device is suspended.
CREATE PERFETTO FUNCTION _extract_duration_without_suspend(
  ts TIMESTAMP, dur DURATION
) RETURNS LONG AS
SELECT to_monotonic($ts + $dur) - to_monotonic($ts);
