-- Kernel threads: kthreadd and what it started.

CREATE PERFETTO TABLE linux_kernel_threads(
  upid JOINID(process.id), utid JOINID(thread.id), pid LONG, tid LONG, process_name STRING,
  thread_name STRING, machine_id JOINID(machine.id)
) AS
SELECT process.upid, thread.utid, process.pid, thread.tid, process.name AS process_name,
  thread.name AS thread_name, thread.machine_id
FROM thread
LEFT JOIN process USING (upid)
LEFT JOIN process AS parent ON parent.upid = process.parent_upid
WHERE process.pid = 2 OR parent.pid = 2;
