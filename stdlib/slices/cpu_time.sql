-- How long the thread of each slice ran on a CPU while the slice lasted.

INCLUDE PERFETTO MODULE intervals.intersect;
INCLUDE PERFETTO MODULE linux.cpu.utilization.slice;
INCLUDE PERFETTO MODULE slices.with_context;

-- Each slice with the time that its thread was on a CPU.
CREATE PERFETTO TABLE thread_slice_cpu_time(
  -- Slice, joins slice.
  id JOINID(slice.id),
  -- Name of the slice.
  name STRING,
  -- Thread, joins thread.
  utid JOINID(thread.id),
  -- Name of the thread.
  thread_name STRING,
  -- Process, joins process.
  upid JOINID(process.id),
  -- Name of the process.
  process_name STRING,
  -- Time on a CPU within the slice, ns.
  cpu_time LONG
) AS
SELECT s.id, s.name, s.utid, s.thread_name, s.upid, s.process_name, ran.cpu_time
FROM (
  SELECT id_0 AS id, sum(dur) AS cpu_time
  FROM _interval_intersect!((
    (SELECT id, ts, dur, utid FROM thread_slice WHERE dur > 0 AND utid > 0),
    (SELECT id, ts, dur, utid FROM sched WHERE dur > 0)), (utid))
  GROUP BY id_0
) AS ran
JOIN thread_slice AS s USING (id)
ORDER BY s.id;

-- Each slice with the CPU cycles of its thread, NULL unless the frequency is known throughout.
CREATE PERFETTO VIEW thread_slice_cpu_cycles(
  -- Slice, joins slice.
  id JOINID(slice.id),
  -- Name of the slice.
  name STRING,
  -- Thread, joins thread.
  utid JOINID(thread.id),
  -- Name of the thread.
  thread_name STRING,
  -- Process, joins process.
  upid JOINID(process.id),
  -- Name of the process.
  process_name STRING,
  -- CPU cycles, thousandths.
  millicycles LONG,
  -- CPU cycles, millions.
  megacycles LONG
) AS
SELECT id, name, utid, thread_name, upid, process_name, millicycles, megacycles
FROM cpu_cycles_per_thread_slice;
