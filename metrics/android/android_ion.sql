-- Memory of those of ION's heaps that something was allocated from.
SELECT run_metric('android/buffer_memory.sql', 'size', 'mem.ion', 'change', 'mem.ion_change');

CREATE OR REPLACE PERFETTO VIEW android_ion_output AS
SELECT AndroidIonMetric(
  'buffer', (
    SELECT RepeatedField(AndroidIonMetric_Buffer(
      'name', name,
      'avg_size_bytes', mean,
      'min_size_bytes', smallest,
      'max_size_bytes', largest,
      'total_alloc_size_bytes', allocated))
    FROM (
      SELECT ifnull(name, 'all') AS name, mean, smallest, largest, allocated
      FROM _buffer_memory
      ORDER BY 1
    )
    WHERE allocated IS NOT NULL
  )
) AS message;
