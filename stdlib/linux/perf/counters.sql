-- Samples of perf together with what was counted up to them.

CREATE PERFETTO VIEW linux_perf_sample_with_counters(
  sample_id JOINID(perf_sample.id), ts TIMESTAMP, utid JOINID(thread.id), cpu LONG,
  cpu_mode STRING, callsite_id JOINID(stack_profile_callsite.id), unwind_error STRING,
  perf_session_id JOINID(perf_session.id), counter_id JOINID(counter.id),
  track_id JOINID(track.id), counter_value DOUBLE
) AS
SELECT s.id AS sample_id, s.ts, s.utid, s.cpu, s.cpu_mode, s.callsite_id, s.unwind_error,
  s.perf_session_id, c.id AS counter_id, c.track_id, c.value AS counter_value
FROM perf_sample AS s
JOIN stack_sample_counter AS c ON c.stack_sample_id = s.id;

-- NULL where the sample has no counter of that name.
CREATE PERFETTO FUNCTION linux_perf_counter_for_sample(
  sample_id JOINID(perf_sample.id), counter_name STRING
) RETURNS DOUBLE AS
SELECT c.value
FROM stack_sample_counter AS c
JOIN track ON track.id = c.track_id
WHERE c.stack_sample_id = $sample_id AND track.name = $counter_name
LIMIT 1;
