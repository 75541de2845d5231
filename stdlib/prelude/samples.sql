-- Call stack samples of every source, and those of one source as they used to be shown. Samples
-- without a stack, that only count, are those of their source alone.

-- Samples that have a stack.
CREATE PERFETTO VIEW stack_sample(
  -- Number of the sample.
  id ID,
  -- When it was taken, ns of trace time.
  ts TIMESTAMP,
  -- Profiler, as linux.perf or chrome.
  source STRING,
  -- What it was taken of, joins stack_sample_task_context.
  task_context_id JOINID(stack_sample_task_context.id),
  -- Where it ran, joins stack_sample_execution_context.
  execution_context_id JOINID(stack_sample_execution_context.id),
  -- Innermost frame of the stack, joins stack_profile_callsite.
  callsite_id JOINID(stack_profile_callsite.id),
  -- Session of the profiler, joins stack_sample_session.
  session_id JOINID(stack_sample_session.id)
) AS
SELECT id, ts, source, task_context_id, execution_context_id, callsite_id, session_id
FROM __intrinsic_profiler_sample
WHERE callsite_id IS NOT NULL;

-- Sessions of profilers that took stacks.
CREATE PERFETTO VIEW stack_sample_session(
  -- Number of the session.
  id ID,
  -- Profiler, as linux.perf or chrome.
  source STRING,
  -- Unit of what decided when to sample, as ns or cycles; NULL: not known.
  timebase_unit STRING,
  -- Command line of the profiler.
  cmdline STRING
) AS
SELECT id, source, timebase_unit, cmdline
FROM __intrinsic_profiler_session
WHERE id IN (SELECT session_id FROM __intrinsic_profiler_sample WHERE callsite_id IS NOT NULL);

-- Processes, threads and asynchronous tasks that stacks were taken of.
CREATE PERFETTO VIEW stack_sample_task_context(
  -- Number of the context.
  id ID,
  -- Process, joins process.
  upid JOINID(process.id),
  -- Thread, joins thread.
  utid JOINID(thread.id),
  -- Asynchronous task, joins stack_sample_async_context.
  async_context_id JOINID(stack_sample_async_context.id)
) AS
SELECT id, upid, utid, async_context_id
FROM __intrinsic_profiler_task_context
WHERE id IN (SELECT task_context_id FROM __intrinsic_profiler_sample WHERE callsite_id IS NOT NULL);

-- CPUs and their modes in which stacks were taken.
CREATE PERFETTO VIEW stack_sample_execution_context(
  -- Number of the context.
  id ID,
  -- CPU, unique over all machines; joins cpu.
  ucpu JOINID(cpu.id),
  -- Mode of the CPU, as user or kernel.
  cpu_mode STRING
) AS
SELECT id, ucpu, cpu_mode
FROM __intrinsic_profiler_execution_context
WHERE id IN (SELECT execution_context_id FROM __intrinsic_profiler_sample
             WHERE callsite_id IS NOT NULL);

-- Asynchronous tasks that stacks were taken of, and those that they belong to.
CREATE PERFETTO VIEW stack_sample_async_context(
  -- Number of the context.
  id ID,
  -- Name of the task.
  name STRING,
  -- What it is, as fiber or coroutine.
  kind STRING,
  -- Task that it belongs to.
  parent_id JOINID(stack_sample_async_context.id)
) AS
WITH RECURSIVE
  sampled(id) AS (
    SELECT async_context_id FROM stack_sample_task_context WHERE async_context_id IS NOT NULL
    UNION
    SELECT c.parent_id
    FROM sampled JOIN __intrinsic_profiler_async_context AS c USING (id)
    WHERE c.parent_id IS NOT NULL
  )
SELECT id, name, kind, parent_id
FROM __intrinsic_profiler_async_context
WHERE id IN (SELECT id FROM sampled);

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
JOIN __intrinsic_counter AS c ON c.id = m.counter_id
WHERE s.callsite_id IS NOT NULL;

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

-- Samples of Chrome's profiler and of files of profiles; those of StackSample packets are in stack_sample alone.
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
WHERE s.source IN ('chrome', 'legacy_v8', 'gecko', 'simpleperf', 'perf_text',
  'anr', 'ftrace', 'perf_json', 'speedscope', 'stackprof', 'v8_log', 'web_inspector');

-- What cpu_profile_stack_sample is called by the UI of v57, which looks whether there are any.
CREATE PERFETTO VIEW __intrinsic_cpu_profile_stack_sample(
  -- Sample, joins stack_sample.
  id ID,
  -- When it was taken, ns of trace time.
  ts TIMESTAMP,
  -- Innermost frame of the stack, joins stack_profile_callsite; NULL without a stack.
  callsite_id JOINID(stack_profile_callsite.id),
  -- Thread, joins thread.
  utid JOINID(thread.id),
  -- Priority of the process, as Chrome gives it.
  process_priority LONG
) AS
SELECT * FROM cpu_profile_stack_sample;

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
