-- How long the thread of each slice was in which state while the slice lasted.

INCLUDE PERFETTO MODULE slices.with_context;

CREATE PERFETTO TABLE thread_slice_time_in_state(
  id JOINID(slice.id), name STRING, utid JOINID(thread.id), thread_name STRING,
  upid JOINID(process.id), process_name STRING, state STRING, io_wait BOOL,
  blocked_function STRING, dur DURATION
) AS
SELECT s.id, s.name, s.utid, s.thread_name, s.upid, s.process_name, t.state, t.io_wait,
  t.blocked_function, sum(min(s.ts + s.dur, t.ts + t.dur) - max(s.ts, t.ts)) AS dur
FROM thread_slice AS s
JOIN thread_state AS t ON t.utid = s.utid AND t.ts < s.ts + s.dur AND t.ts + t.dur > s.ts
WHERE s.dur > 0 AND t.dur > 0
GROUP BY s.id, t.state, t.io_wait, t.blocked_function;
