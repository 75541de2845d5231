-- For each time a thread runs or waits: when it became runnable before.

CREATE PERFETTO TABLE sched_previous_runnable_on_thread(
  id JOINID(thread_state.id), prev_runnable_id JOINID(thread_state.id),
  prev_wakeup_runnable_id JOINID(thread_state.id)
) AS
WITH marked AS (
  SELECT id, utid, ts, state IN ('R', 'R+') AS runnable,
    waker_utid IS NOT NULL AND state = 'R' AS woken
  FROM thread_state
  WHERE dur <> -1 OR state = 'Running'
)
SELECT id,
  max(iif(runnable, id, NULL)) OVER before AS prev_runnable_id,
  max(iif(woken, id, NULL)) OVER before AS prev_wakeup_runnable_id
FROM marked
WINDOW before AS (PARTITION BY utid ORDER BY ts ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING);
