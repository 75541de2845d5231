-- Call stack samples of every source, and those of one source as they used to be shown.

CREATE PERFETTO VIEW stack_sample_counter AS
SELECT c.id, s.id AS stack_sample_id, c.track_id, c.value
FROM __intrinsic_profiler_sample AS s
JOIN __intrinsic_profiler_counter_set AS m ON m.counter_set_id = s.counter_set_id
JOIN __intrinsic_counter AS c ON c.id = m.counter_id;

CREATE PERFETTO VIEW perf_session AS
SELECT id, id AS perf_session_id, cmdline
FROM __intrinsic_profiler_session
WHERE source = 'linux.perf';

CREATE PERFETTO VIEW perf_sample AS
SELECT s.id, s.ts, t.utid, c.cpu, e.cpu_mode, s.callsite_id, s.unwind_error,
  s.session_id AS perf_session_id
FROM __intrinsic_profiler_sample AS s
LEFT JOIN __intrinsic_profiler_task_context AS t ON t.id = s.task_context_id
LEFT JOIN __intrinsic_profiler_execution_context AS e ON e.id = s.execution_context_id
LEFT JOIN __intrinsic_cpu AS c ON c.id = e.ucpu
WHERE s.source = 'linux.perf';

CREATE PERFETTO VIEW cpu_profile_stack_sample AS
SELECT s.id, s.ts, s.callsite_id, t.utid, x.process_priority
FROM __intrinsic_profiler_sample AS s
LEFT JOIN __intrinsic_profiler_task_context AS t ON t.id = s.task_context_id
LEFT JOIN __intrinsic_chrome_stack_sample_extras AS x ON x.profiler_sample_id = s.id
WHERE s.source = 'chrome';

CREATE PERFETTO VIEW instruments_sample AS
SELECT s.id, s.ts, t.utid, s.callsite_id, c.cpu
FROM __intrinsic_profiler_sample AS s
LEFT JOIN __intrinsic_profiler_task_context AS t ON t.id = s.task_context_id
LEFT JOIN __intrinsic_profiler_execution_context AS e ON e.id = s.execution_context_id
LEFT JOIN __intrinsic_cpu AS c ON c.id = e.ucpu
WHERE s.source = 'instruments';
