-- How long the thread of each slice ran on a CPU while the slice lasted.

INCLUDE PERFETTO MODULE slices.with_context;

CREATE PERFETTO TABLE thread_slice_cpu_time(
  id JOINID(slice.id), name STRING, utid JOINID(thread.id), thread_name STRING,
  upid JOINID(process.id), process_name STRING, cpu_time LONG
) AS
SELECT s.id, s.name, s.utid, s.thread_name, s.upid, s.process_name,
  sum(min(s.ts + s.dur, r.ts + r.dur) - max(s.ts, r.ts)) AS cpu_time
FROM thread_slice AS s
JOIN sched AS r ON r.utid = s.utid AND r.ts < s.ts + s.dur AND r.ts + r.dur > s.ts
WHERE s.dur > 0 AND r.dur > 0 AND s.utid > 0
GROUP BY s.id;
