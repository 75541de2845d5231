-- Sizes of Java heaps.
INCLUDE PERFETTO MODULE android.memory.heap_graph.heap_graph_stats;
SELECT run_metric('android/process_metadata.sql');

CREATE OR REPLACE PERFETTO VIEW _heaps_of_process AS
SELECT
  upid,
  RepeatedField(JavaHeapStats_Sample(
    'ts', graph_sample_ts,
    'process_uptime_ms', process_uptime,
    'heap_size', total_heap_size,
    'heap_native_size', total_native_alloc_registry_size,
    'obj_count', total_obj_count,
    'reachable_heap_size', reachable_heap_size,
    'reachable_heap_native_size', reachable_native_alloc_registry_size,
    'reachable_obj_count', reachable_obj_count,
    'oom_score_adj', oom_score_adj,
    'anon_rss_and_swap_size', anon_rss_and_swap_size,
    'dmabuf_rss_size', dmabuf_rss_size,
    'art_bytes_allocated', art_bytes_allocated,
    'is_out_of_memory_error', is_out_of_memory_error,
    'oome_failing_allocation_size', oome_failing_allocation_size,
    'oome_remaining_art_free_bytes', oome_remaining_art_free_bytes)) AS samples
FROM (SELECT * FROM android_heap_graph_stats ORDER BY upid, graph_sample_ts)
GROUP BY upid;

CREATE OR REPLACE PERFETTO VIEW java_heap_stats_output AS
SELECT JavaHeapStats(
  'instance_stats', (
    SELECT RepeatedField(JavaHeapStats_InstanceStats(
      'upid', upid, 'process', process_metadata_proto(upid), 'samples', samples))
    FROM _heaps_of_process
  )
) AS message;
