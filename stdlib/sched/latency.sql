-- How long threads had been waiting for a CPU each time they ran.

INCLUDE PERFETTO MODULE sched.runnable;

-- The rows of thread_state and of sched that are the same time of the same thread.
CREATE PERFETTO VIEW _sched_with_thread_state_join AS
SELECT thread_state.id AS thread_state_id, sched.id AS sched_id
FROM sched
JOIN thread_state ON thread_state.ts = sched.ts AND thread_state.utid = sched.utid
  AND thread_state.dur = sched.dur;

-- Each time a thread ran, with how long it had waited for a CPU.
CREATE PERFETTO TABLE sched_latency_for_running_interval(
  -- Running state, joins thread_state.
  thread_state_id JOINID(thread_state.id),
  -- Scheduling slice of that time, joins sched.
  sched_id JOINID(sched.id),
  -- Thread, joins thread.
  utid JOINID(thread.id),
  -- Runnable state before it, joins thread_state.
  runnable_latency_id JOINID(thread_state.id),
  -- How long the thread was runnable, ns.
  latency_dur LONG
) AS
SELECT previous.id AS thread_state_id, sched_id, wait.utid, wait.id AS runnable_latency_id,
  wait.dur AS latency_dur
FROM sched_previous_runnable_on_thread AS previous
JOIN thread_state AS wait ON wait.id = previous.prev_runnable_id
JOIN _sched_with_thread_state_join ON thread_state_id = previous.id;
