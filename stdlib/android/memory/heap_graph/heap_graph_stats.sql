-- Each dump of a heap, and the memory of its process at the time.

INCLUDE PERFETTO MODULE android.memory.dmabuf_spans;
INCLUDE PERFETTO MODULE android.memory.heap_graph.oome;
INCLUDE PERFETTO MODULE android.oom_adjuster;
INCLUDE PERFETTO MODULE counters.intervals;
INCLUDE PERFETTO MODULE linux.memory.process;

CREATE PERFETTO TABLE _heap_sums AS
SELECT upid, graph_sample_ts, sum(self_size) AS size, sum(native_size) AS native_size,
  count(*) AS objects, sum(iif(reachable, self_size, 0)) AS reachable_size,
  sum(iif(reachable, native_size, 0)) AS reachable_native_size,
  sum(reachable) AS reachable_objects
FROM heap_graph_object
GROUP BY upid, graph_sample_ts;

-- The value at a time, else one that was read at most half a second later.
CREATE PERFETTO MACRO _value_near(
  spans TableOrSubquery, value_column ColumnName
) RETURNS Expr AS (
  SELECT value
  FROM (
    SELECT near.$value_column AS value, near.ts,
      near.ts < h.graph_sample_ts AND near.ts + near.dur = h.graph_sample_ts AS ends_here
    FROM $spans AS near
    WHERE near.upid = h.upid AND near.ts <= h.graph_sample_ts + 500000000
      AND near.ts + near.dur >= h.graph_sample_ts
  )
  ORDER BY ends_here, ts
  LIMIT 1
);

-- One row per dump. Sizes are in bytes.
CREATE PERFETTO TABLE android_heap_graph_stats(
  -- The process.
  upid JOINID(process.id),
  -- When the heap was dumped.
  graph_sample_ts TIMESTAMP,
  -- Time since the start of the process in ns; NULL if that is not known.
  process_uptime LONG,
  -- Size of all Java objects.
  total_heap_size LONG,
  -- Native memory that is registered for all Java objects.
  total_native_alloc_registry_size LONG,
  -- Number of all objects.
  total_obj_count LONG,
  -- Size of the objects that something keeps alive.
  reachable_heap_size LONG,
  -- Native memory that is registered for the reachable objects.
  reachable_native_alloc_registry_size LONG,
  -- Number of the reachable objects.
  reachable_obj_count LONG,
  -- oom_score_adj of the process when the heap was dumped; NULL if not known.
  oom_score_adj LONG,
  -- Anonymous RSS and swap of the process when the heap was dumped; NULL if not known.
  anon_rss_and_swap_size LONG,
  -- Resident dma-bufs of the process when the heap was dumped; NULL if not known.
  dmabuf_rss_size LONG,
  -- Size of the heap by the runtime's own count; NULL if not dumped.
  art_bytes_allocated LONG,
  -- Whether an OutOfMemoryError caused the dump.
  is_out_of_memory_error BOOL,
  -- Size of the allocation that failed; NULL without an error.
  oome_failing_allocation_size LONG,
  -- What was left until the heap's limit; NULL without an error.
  oome_remaining_art_free_bytes LONG
) AS
SELECT h.upid, h.graph_sample_ts, h.graph_sample_ts - p.start_ts AS process_uptime,
  h.size AS total_heap_size, h.native_size AS total_native_alloc_registry_size,
  h.objects AS total_obj_count, h.reachable_size AS reachable_heap_size,
  h.reachable_native_size AS reachable_native_alloc_registry_size,
  h.reachable_objects AS reachable_obj_count, _value_near!(_oom_scores, score) AS oom_score_adj,
  _value_near!(memory_rss_and_swap_per_process, anon_rss_and_swap) AS anon_rss_and_swap_size,
  _value_near!(_dmabuf_spans, dmabuf_rss) AS dmabuf_rss_size, g.heap_size AS art_bytes_allocated,
  g.dump_reason = 'OOME'
    OR extract_metadata('trace_trigger') = 'com.android.telemetry.art-outofmemory'
    AS is_out_of_memory_error,
  o.allocation_size_bytes AS oome_failing_allocation_size,
  o.free_bytes_until_oom AS oome_remaining_art_free_bytes
FROM _heap_sums AS h
JOIN process AS p ON p.upid = h.upid
LEFT JOIN heap_graph AS g ON g.upid = h.upid AND g.ts = h.graph_sample_ts
LEFT JOIN android_heap_graph_java_oome_details AS o ON o.heap_graph_id = g.id;
