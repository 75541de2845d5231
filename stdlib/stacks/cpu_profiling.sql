-- CPU profiles of every source.

INCLUDE PERFETTO MODULE callstacks.stack_profile;

-- The samples that were taken every so much time, cycles or instructions. Those that something else
-- decided, as a page fault or a switch of threads, are left out.
CREATE PERFETTO TABLE cpu_profiling_samples(
  -- Sample, joins stack_sample.
  id LONG,
  -- When it was taken, ns of trace time.
  ts TIMESTAMP,
  -- Thread, joins thread.
  utid JOINID(thread.id),
  -- Thread id of the operating system.
  tid LONG,
  -- Name of the thread.
  thread_name STRING,
  -- CPU, unique over all machines; joins cpu.
  ucpu LONG,
  -- CPU number on its machine.
  cpu LONG,
  -- Innermost frame of the stack, joins stack_profile_callsite.
  callsite_id LONG,
  -- Profiler, as linux.perf or chrome.
  source STRING
) AS
SELECT s.id, s.ts, t.utid, thread.tid, thread.name AS thread_name, e.ucpu, cpu.cpu, s.callsite_id,
  s.source
FROM stack_sample AS s
LEFT JOIN stack_sample_task_context AS t ON t.id = s.task_context_id
LEFT JOIN stack_sample_execution_context AS e ON e.id = s.execution_context_id
LEFT JOIN thread ON thread.utid = t.utid
LEFT JOIN cpu ON cpu.id = e.ucpu
LEFT JOIN stack_sample_session AS p ON p.id = s.session_id
WHERE p.timebase_unit IS NULL OR p.timebase_unit IN ('ns', 'cycles', 'instructions')
ORDER BY s.ts;

CREATE PERFETTO TABLE _cpu_profiling_callstacks AS
SELECT *
FROM _callstacks_for_callsites!(cpu_profiling_samples);

-- The functions that were on the stacks, a row for each way to call them.
CREATE PERFETTO TABLE cpu_profiling_summary_tree(
  -- Node of the tree.
  id LONG,
  -- Node of the caller, NULL for the outermost function.
  parent_id LONG,
  -- Name of the function.
  name STRING,
  -- Binary or library of the function.
  mapping_name STRING,
  -- Source file, if symbolized.
  source_file STRING,
  -- Line in source_file, if symbolized.
  line_number LONG,
  -- Samples that were taken in the function itself.
  self_count LONG,
  -- Samples that were taken in the function or in what it called.
  cumulative_count LONG
) AS
SELECT id, parent_id, name, mapping_name, source_file, line_number, self_count, cumulative_count
FROM _callstacks_summary!(_cpu_profiling_callstacks);
