-- CPU profiles of every source.

INCLUDE PERFETTO MODULE callstacks.stack_profile;

CREATE PERFETTO TABLE cpu_profiling_samples(
  id LONG, ts TIMESTAMP, utid JOINID(thread.id), tid LONG, thread_name STRING, ucpu LONG, cpu LONG,
  callsite_id LONG, source STRING
) AS
SELECT s.id, s.ts, t.utid, thread.tid, thread.name AS thread_name, e.ucpu, cpu.cpu, s.callsite_id,
  s.source
FROM stack_sample AS s
LEFT JOIN stack_sample_task_context AS t ON t.id = s.task_context_id
LEFT JOIN stack_sample_execution_context AS e ON e.id = s.execution_context_id
LEFT JOIN thread ON thread.utid = t.utid
LEFT JOIN cpu ON cpu.id = e.ucpu
WHERE s.callsite_id IS NOT NULL;

CREATE PERFETTO TABLE _cpu_profiling_callstacks AS
SELECT *
FROM _callstacks_for_callsites!(cpu_profiling_samples);

CREATE PERFETTO TABLE cpu_profiling_summary_tree(
  id LONG, parent_id LONG, name STRING, mapping_name STRING, source_file STRING, line_number LONG,
  self_count LONG, cumulative_count LONG
) AS
SELECT id, parent_id, name, mapping_name, source_file, line_number, self_count, cumulative_count
FROM _callstacks_summary!(_cpu_profiling_callstacks);
