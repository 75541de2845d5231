-- Kernel threads: kthreadd and what it started.

-- Threads of kthreadd, and of the processes that it started.
CREATE PERFETTO TABLE linux_kernel_threads(
  -- Process, joins process.
  upid JOINID(process.id),
  -- Thread, joins thread.
  utid JOINID(thread.id),
  -- Process id of the operating system.
  pid LONG,
  -- Thread id of the operating system.
  tid LONG,
  -- Name of the process.
  process_name STRING,
  -- Name of the thread.
  thread_name STRING,
  -- Machine, joins machine.
  machine_id JOINID(machine.id)
) AS
SELECT process.upid, thread.utid, process.pid, thread.tid, process.name AS process_name,
  thread.name AS thread_name, thread.machine_id
FROM thread
LEFT JOIN process USING (upid)
LEFT JOIN process AS parent ON parent.upid = process.parent_upid
WHERE process.pid = 2 OR parent.pid = 2;
