-- Memory of ION by heap.
SELECT run_metric('android/buffer_memory.sql', 'size', 'mem.ion', 'change', 'mem.ion_change');

CREATE OR REPLACE PERFETTO VIEW android_ion_output AS
SELECT AndroidIonMetric(
  'buffer', (
    SELECT RepeatedField(AndroidIonMetric_Buffer(
      'name', ifnull(name, 'all'),
      'avg_size_bytes', mean,
      'min_size_bytes', smallest,
      'max_size_bytes', largest,
      'total_alloc_size_bytes', allocated))
    FROM _buffer_memory
  )
) AS message;
