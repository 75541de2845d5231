-- For each time a thread ran: when it became runnable before.

-- Each running state with the runnable states before it on the thread.
CREATE PERFETTO TABLE sched_previous_runnable_on_thread(
  -- Running state, joins thread_state.
  id JOINID(thread_state.id),
  -- Last runnable state before it, joins thread_state.
  prev_runnable_id JOINID(thread_state.id),
  -- Last one that another thread, and not an interrupt, brought about; joins thread_state.
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
