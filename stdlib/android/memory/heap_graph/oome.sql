-- What allocation failed where a heap was dumped for want of memory.

-- One row per OutOfMemoryError with a dump.
CREATE PERFETTO VIEW android_heap_graph_java_oome_details(
  -- Number of the row.
  id ID,
  -- The dump.
  heap_graph_id JOINID(heap_graph.id),
  -- Size of the allocation that failed.
  allocation_size_bytes LONG,
  -- Free bytes within the heap as it was.
  total_bytes_free LONG,
  -- Bytes left until the heap's limit.
  free_bytes_until_oom LONG,
  -- Message of the error.
  error_msg STRING
) AS
SELECT id, heap_graph_id, allocation_size_bytes, total_bytes_free, free_bytes_until_oom, error_msg
FROM __intrinsic_heap_graph_java_oome_details;
