-- How long the thread of each slice ran on a CPU while the slice lasted.

INCLUDE PERFETTO MODULE intervals.intersect;
INCLUDE PERFETTO MODULE linux.cpu.utilization.slice;
INCLUDE PERFETTO MODULE slices.with_context;

CREATE PERFETTO TABLE thread_slice_cpu_time(
  id JOINID(slice.id), name STRING, utid JOINID(thread.id), thread_name STRING,
  upid JOINID(process.id), process_name STRING, cpu_time LONG
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

CREATE PERFETTO VIEW thread_slice_cpu_cycles(
  id JOINID(slice.id), name STRING, utid JOINID(thread.id), thread_name STRING,
  upid JOINID(process.id), process_name STRING, millicycles LONG, megacycles LONG
) AS
SELECT id, name, utid, thread_name, upid, process_name, millicycles, megacycles
FROM cpu_cycles_per_thread_slice;
