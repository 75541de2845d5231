-- Memory of FastRPC by subsystem.
SELECT run_metric(
  'android/buffer_memory.sql', 'size', 'mem.fastrpc', 'change', 'mem.fastrpc_change');

CREATE OR REPLACE PERFETTO VIEW android_fastrpc_output AS
SELECT AndroidFastrpcMetric(
  'subsystem', (
    SELECT RepeatedField(AndroidFastrpcMetric_Subsystem(
      'name', name,
      'avg_size_bytes', mean,
      'min_size_bytes', smallest,
      'max_size_bytes', largest,
      'total_alloc_size_bytes', allocated))
    FROM _buffer_memory
    WHERE name IS NOT NULL AND allocated IS NOT NULL
  )
) AS message;
