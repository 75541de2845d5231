-- When each machine was awake and when it was suspended, over the whole trace.

-- Recordings with the short form of the kernel's events do not need the steps of the long one.
CREATE PERFETTO TABLE _suspensions AS
WITH steps AS (
  SELECT t.machine_id, t.type, s.ts, s.dur
  FROM track AS t
  JOIN slice AS s ON s.track_id = t.id
  WHERE s.dur <> -1 AND (t.type = 'suspend_resume_minimal' OR t.name = 'Suspend/Resume Latency'
    AND s.name IN ('syscore_resume(0)', 'timekeeping_freeze(0)'))
)
SELECT machine_id, ts, dur
FROM steps
WHERE type = 'suspend_resume_minimal'
  OR NOT EXISTS (SELECT 1 FROM steps WHERE type = 'suspend_resume_minimal')
ORDER BY ts;

CREATE PERFETTO TABLE android_suspend_state(
  ts TIMESTAMP, dur DURATION, power_state STRING, machine_id JOINID(machine.id)
) AS
SELECT ts, ts_end - ts AS dur, iif(suspensions > 0, 'suspended', 'awake') AS power_state, machine_id
FROM (
  SELECT machine_id, ts, coalesce(lead(ts) OVER by_machine, trace_end()) AS ts_end,
    sum(change) OVER by_machine AS suspensions
  FROM (
    SELECT machine_id, ts, sum(change) AS change
    FROM (
      SELECT id AS machine_id, trace_start() AS ts, 0 AS change FROM machine
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
