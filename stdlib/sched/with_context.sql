-- Scheduling slices together with their thread and process.

-- Scheduling slices with names.
CREATE PERFETTO VIEW sched_with_thread_process(
  -- Scheduling slice, joins sched.
  id ID(sched.id),
  -- Start, ns of trace time.
  ts TIMESTAMP,
  -- Duration, ns; -1 if it has not ended.
  dur DURATION,
  -- Thread, joins thread.
  utid JOINID(thread.id),
  -- Name of the thread.
  thread_name STRING,
  -- Process, joins process.
  upid JOINID(process.id),
  -- Name of the process.
  process_name STRING,
  -- CPU number.
  cpu LONG,
  -- State in which the thread left the CPU.
  end_state STRING,
  -- Priority in the kernel, lower is more urgent.
  priority LONG
) AS
SELECT sched.id, sched.ts, sched.dur, sched.utid, thread.name AS thread_name, thread.upid,
  process.name AS process_name, sched.cpu, sched.end_state, sched.priority
FROM sched
JOIN thread USING (utid)
LEFT JOIN process USING (upid);
