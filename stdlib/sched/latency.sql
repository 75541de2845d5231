-- How long each running interval of a thread had been waiting for a CPU.

CREATE PERFETTO TABLE sched_latency_for_running_interval(
  thread_state_id JOINID(thread_state.id), sched_id JOINID(sched.id), utid JOINID(thread.id),
  runnable_latency_id JOINID(thread_state.id), latency_dur LONG
) AS
SELECT run.id AS thread_state_id, sched.id AS sched_id, run.utid, wait.id AS runnable_latency_id,
  wait.dur AS latency_dur
FROM thread_state AS run
JOIN sched ON sched.ts = run.ts AND sched.utid = run.utid
JOIN thread_state AS wait
  ON wait.utid = run.utid AND wait.ts + wait.dur = run.ts AND wait.state IN ('R', 'R+')
WHERE run.state = 'Running';
