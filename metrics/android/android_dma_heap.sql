-- Memory of DMA heaps, and which processes it grew for.
SELECT run_metric(
  'android/buffer_memory.sql', 'size', 'mem.dma_heap', 'change', 'mem.dma_heap_change');

CREATE OR REPLACE PERFETTO VIEW android_dma_heap_output AS
SELECT AndroidDmaHeapMetric(
  'avg_size_bytes', mean,
  'min_size_bytes', smallest,
  'max_size_bytes', largest,
  'total_alloc_size_bytes', allocated,
  'total_delta_bytes', (SELECT CAST(sum(value) AS INT) FROM _buffer_change),
  'process_stats', (
    SELECT RepeatedField(AndroidDmaHeapMetric_ProcessStats(
      'process_name', name, 'delta_bytes', delta))
    FROM (
      SELECT p.name, CAST(sum(c.value) AS INT) AS delta
      FROM _buffer_change AS c
      JOIN process AS p USING (upid)
      WHERE p.name IS NOT NULL
      GROUP BY p.name
      ORDER BY delta DESC, p.name
    )
  )
) AS message
FROM _buffer_memory
WHERE name IS NULL;
