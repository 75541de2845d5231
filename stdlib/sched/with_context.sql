-- Scheduling slices together with their thread and process.

CREATE PERFETTO VIEW sched_with_thread_process(
  id ID(sched.id), ts TIMESTAMP, dur DURATION, utid JOINID(thread.id), thread_name STRING,
  upid JOINID(process.id), process_name STRING, cpu LONG, end_state STRING, priority LONG
) AS
SELECT sched.id, sched.ts, sched.dur, sched.utid, thread.name AS thread_name, thread.upid,
  process.name AS process_name, sched.cpu, sched.end_state, sched.priority
FROM sched
JOIN thread USING (utid)
LEFT JOIN process USING (upid);
