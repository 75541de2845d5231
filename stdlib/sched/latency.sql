-- How long threads had been waiting for a CPU each time they ran.

INCLUDE PERFETTO MODULE sched.runnable;

CREATE PERFETTO TABLE sched_latency_for_running_interval(
  thread_state_id JOINID(thread_state.id), sched_id JOINID(sched.id), utid JOINID(thread.id),
  runnable_latency_id JOINID(thread_state.id), latency_dur LONG
) AS
SELECT run.id AS thread_state_id, sched.id AS sched_id, run.utid, wait.id AS runnable_latency_id,
  wait.dur AS latency_dur
FROM sched_previous_runnable_on_thread AS previous
JOIN thread_state AS run ON run.id = previous.id
JOIN thread_state AS wait ON wait.id = previous.prev_runnable_id
JOIN sched ON sched.ts = run.ts AND sched.utid = run.utid AND sched.dur = run.dur;
