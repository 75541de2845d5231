-- Call stack samples of every source, and those of one source as they used to be shown.

-- What profilers counted up to each sample.
CREATE PERFETTO VIEW stack_sample_counter(
  -- Counter sample, joins counter.
  id ID(counter.id),
  -- Sample, joins stack_sample.
  stack_sample_id JOINID(stack_sample.id),
  -- Counter, joins stack_sample_counter_track.
  track_id JOINID(stack_sample_counter_track.id),
  -- Value of the counter.
  value DOUBLE
) AS
SELECT c.id, s.id AS stack_sample_id, c.track_id, c.value
FROM __intrinsic_profiler_sample AS s
JOIN __intrinsic_profiler_counter_set AS m ON m.counter_set_id = s.counter_set_id
JOIN __intrinsic_counter AS c ON c.id = m.counter_id;

-- Recordings of perf.
CREATE PERFETTO VIEW perf_session(
  -- Session, joins stack_sample_session.
  id LONG,
  -- As `id`.
  perf_session_id LONG,
  -- Command line of perf.
  cmdline STRING
) AS
SELECT id, id AS perf_session_id, cmdline
FROM __intrinsic_profiler_session
WHERE source = 'linux.perf';

-- Samples of perf, with or without a stack.
CREATE PERFETTO VIEW perf_sample(
  -- Sample, joins stack_sample.
  id ID,
  -- When it was taken, ns of trace time.
  ts TIMESTAMP,
  -- Thread, joins thread.
  utid JOINID(thread.id),
  -- CPU number.
  cpu LONG,
  -- Mode of the CPU, as user or kernel.
  cpu_mode STRING,
  -- Innermost frame of the stack, joins stack_profile_callsite; NULL without a stack.
  callsite_id JOINID(stack_profile_callsite.id),
  -- Why the stack could not be unwound, else NULL.
  unwind_error STRING,
  -- Session of perf, joins perf_session.
  perf_session_id JOINID(perf_session.id)
) AS
SELECT s.id, s.ts, t.utid, c.cpu, coalesce(e.cpu_mode, 'unknown') AS cpu_mode, s.callsite_id,
  s.unwind_error,
  s.session_id AS perf_session_id
FROM __intrinsic_profiler_sample AS s
LEFT JOIN __intrinsic_profiler_task_context AS t ON t.id = s.task_context_id
LEFT JOIN __intrinsic_profiler_execution_context AS e ON e.id = s.execution_context_id
LEFT JOIN __intrinsic_cpu AS c ON c.id = e.ucpu
WHERE s.source = 'linux.perf';

-- Samples of Chrome's profiler.
CREATE PERFETTO VIEW cpu_profile_stack_sample(
  -- Sample, joins stack_sample.
  id ID,
  -- When it was taken, ns of trace time.
  ts TIMESTAMP,
  -- Innermost frame of the stack, joins stack_profile_callsite; NULL without a stack.
  callsite_id JOINID(stack_profile_callsite.id),
  -- Thread, joins thread.
  utid LONG,
  -- Priority of the process, as Chrome gives it.
  process_priority LONG
) AS
SELECT s.id, s.ts, s.callsite_id, t.utid, coalesce(x.process_priority, 0) AS process_priority
FROM __intrinsic_profiler_sample AS s
LEFT JOIN __intrinsic_profiler_task_context AS t ON t.id = s.task_context_id
LEFT JOIN __intrinsic_chrome_stack_sample_extras AS x ON x.profiler_sample_id = s.id
WHERE s.source NOT IN ('linux.perf', 'instruments');

-- Samples of Instruments.
CREATE PERFETTO VIEW instruments_sample(
  -- Sample, joins stack_sample.
  id ID,
  -- When it was taken, ns of trace time.
  ts TIMESTAMP,
  -- Thread, joins thread.
  utid LONG,
  -- Innermost frame of the stack, joins stack_profile_callsite; NULL without a stack.
  callsite_id JOINID(stack_profile_callsite.id),
  -- CPU number.
  cpu LONG
) AS
SELECT s.id, s.ts, t.utid, s.callsite_id, c.cpu
FROM __intrinsic_profiler_sample AS s
LEFT JOIN __intrinsic_profiler_task_context AS t ON t.id = s.task_context_id
LEFT JOIN __intrinsic_profiler_execution_context AS e ON e.id = s.execution_context_id
LEFT JOIN __intrinsic_cpu AS c ON c.id = e.ucpu
WHERE s.source = 'instruments';
