-- For each time a thread ran: when it became runnable before.

-- `prev_wakeup_runnable_id` is where another thread, and not an interrupt, woke it.
CREATE PERFETTO TABLE sched_previous_runnable_on_thread(
  id JOINID(thread_state.id), prev_runnable_id JOINID(thread_state.id),
  prev_wakeup_runnable_id JOINID(thread_state.id)
) AS
SELECT id, prev_runnable_id, prev_wakeup_runnable_id
FROM (
  SELECT id, state, max(iif(state <> 'Running', id, NULL)) OVER before AS prev_runnable_id,
    max(iif(waker_utid IS NOT NULL AND irq_context IS NOT 1, id, NULL)) OVER before
      AS prev_wakeup_runnable_id
  FROM thread_state
  WHERE state IN ('R', 'R+', 'Running') AND dur <> -1
  WINDOW before AS (PARTITION BY utid ORDER BY id)
)
WHERE state = 'Running'
ORDER BY id;
