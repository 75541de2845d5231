-- How long it took to flush the buffers of a trace that was cloned while it was recorded.

-- The times of the buffers since the moment that a stat tells.
CREATE PERFETTO MACRO _traced_flush_latency(start_stat Expr) RETURNS TableOrSubquery AS (
  SELECT done.idx AS buffer_id, done.value - start.value AS duration_ns, done.machine_id,
    done.trace_id
  FROM stats AS done
  JOIN stats AS start ON start.machine_id IS done.machine_id AND start.trace_id IS done.trace_id
  WHERE done.name = 'traced_buf_clone_done_timestamp_ns' AND start.name = $start_stat
    AND start.value <> 0
  ORDER BY done.machine_id, done.trace_id, done.idx
);

-- Each buffer of a trace that was cloned.
CREATE PERFETTO TABLE traced_clone_flush_latency(
  -- Number of the buffer in the trace's configuration.
  buffer_id LONG,
  -- From the start of cloning to the buffer being copied, ns.
  duration_ns LONG,
  -- Machine, joins machine.
  machine_id JOINID(machine.id),
  -- Trace file that it is from.
  trace_id LONG
) AS
SELECT buffer_id, duration_ns, machine_id, trace_id
FROM _traced_flush_latency!('traced_clone_started_timestamp_ns');

-- Each buffer of a trace that a trigger cloned.
CREATE PERFETTO TABLE traced_trigger_clone_flush_latency(
  -- Number of the buffer in the trace's configuration.
  buffer_id LONG,
  -- From the trigger to the buffer being copied, ns.
  duration_ns LONG,
  -- Machine, joins machine.
  machine_id JOINID(machine.id),
  -- Trace file that it is from.
  trace_id LONG
) AS
SELECT buffer_id, duration_ns, machine_id, trace_id
FROM _traced_flush_latency!('traced_clone_trigger_timestamp_ns');
