-- How long the thread of each slice was in which state while the slice lasted.

INCLUDE PERFETTO MODULE intervals.intersect;
INCLUDE PERFETTO MODULE slices.with_context;

-- Each slice with the time that its thread was in a state, a row each.
CREATE PERFETTO TABLE thread_slice_time_in_state(
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
  -- State, as in thread_state.
  state STRING,
  -- 1 if the thread waited for input or output.
  io_wait BOOL,
  -- Kernel function in which the thread slept.
  blocked_function STRING,
  -- Time in the state within the slice, ns.
  dur DURATION
) AS
SELECT s.id, s.name, s.utid, s.thread_name, s.upid, s.process_name, part.state, part.io_wait,
  part.blocked_function, part.dur
FROM (
  SELECT id_0 AS id, state, io_wait, blocked_function, sum(common.dur) AS dur
  FROM _interval_intersect!((
    (SELECT id, ts, dur, utid FROM thread_slice WHERE dur > 0 AND utid > 0),
    (SELECT id, ts, dur, utid FROM thread_state WHERE dur > 0)), (utid)) AS common
  JOIN thread_state ON thread_state.id = id_1
  GROUP BY id_0, state, io_wait, blocked_function
) AS part
JOIN thread_slice AS s USING (id)
ORDER BY s.id;
