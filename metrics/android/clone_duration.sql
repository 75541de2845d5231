-- How long flushing each buffer took when the session was cloned.
INCLUDE PERFETTO MODULE traced.stats;

CREATE OR REPLACE PERFETTO VIEW clone_duration_output AS
SELECT CloneDuration(
  'by_buffer', (
    SELECT RepeatedField(CloneDuration_ByBuffer('buffer', buffer_id, 'duration_ns', duration_ns))
    FROM (SELECT * FROM traced_clone_flush_latency ORDER BY buffer_id)
  )
) AS message;
