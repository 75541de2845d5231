-- How long threads had been waiting for a CPU each time they ran.

INCLUDE PERFETTO MODULE sched.runnable;

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
SELECT run.id AS thread_state_id, sched.id AS sched_id, run.utid, wait.id AS runnable_latency_id,
  wait.dur AS latency_dur
FROM sched_previous_runnable_on_thread AS previous
JOIN thread_state AS run ON run.id = previous.id
JOIN thread_state AS wait ON wait.id = previous.prev_runnable_id
JOIN sched ON sched.ts = run.ts AND sched.utid = run.utid AND sched.dur = run.dur;
