-- Samples of perf together with what was counted up to them.

-- Each sample with each counter that was read with it.
CREATE PERFETTO VIEW linux_perf_sample_with_counters(
  -- Sample, joins perf_sample.
  sample_id JOINID(perf_sample.id),
  -- When it was taken, ns of trace time.
  ts TIMESTAMP,
  -- Thread, joins thread.
  utid JOINID(thread.id),
  -- CPU number.
  cpu LONG,
  -- Mode of the CPU, as user or kernel.
  cpu_mode STRING,
  -- Innermost frame of the stack, joins stack_profile_callsite.
  callsite_id JOINID(stack_profile_callsite.id),
  -- Why the stack could not be unwound, else NULL.
  unwind_error STRING,
  -- Session of perf, joins perf_session.
  perf_session_id JOINID(perf_session.id),
  -- Counter sample, joins counter.
  counter_id JOINID(counter.id),
  -- Counter, joins perf_counter_track.
  track_id JOINID(track.id),
  -- What was counted up to the sample.
  counter_value DOUBLE
) AS
SELECT s.id AS sample_id, s.ts, s.utid, s.cpu, s.cpu_mode, s.callsite_id, s.unwind_error,
  s.perf_session_id, c.id AS counter_id, c.track_id, c.value AS counter_value
FROM perf_sample AS s
JOIN __intrinsic_profiler_sample AS p ON p.id = s.id
JOIN __intrinsic_profiler_counter_set AS m ON m.counter_set_id = p.counter_set_id
JOIN __intrinsic_counter AS c ON c.id = m.counter_id;

-- What was counted up to a sample, NULL where it has no counter of that name.
CREATE PERFETTO FUNCTION linux_perf_counter_for_sample(
  -- Sample, joins perf_sample.
  sample_id JOINID(perf_sample.id),
  -- Name of the counter's track, as cpu-clock.
  counter_name STRING
) RETURNS DOUBLE AS
SELECT c.value
FROM __intrinsic_profiler_sample AS p
JOIN __intrinsic_profiler_counter_set AS m ON m.counter_set_id = p.counter_set_id
JOIN __intrinsic_counter AS c ON c.id = m.counter_id
JOIN track ON track.id = c.track_id
WHERE p.id = $sample_id AND track.name = $counter_name
LIMIT 1;
