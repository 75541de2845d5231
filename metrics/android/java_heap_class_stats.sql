-- Java objects by class, and what they keep from being freed.
INCLUDE PERFETTO MODULE android.memory.heap_graph.heap_graph_class_aggregation;
SELECT run_metric('android/process_metadata.sql');

CREATE OR REPLACE PERFETTO VIEW _class_stats_of_dump AS
SELECT
  upid,
  graph_sample_ts AS ts,
  RepeatedField(JavaHeapClassStats_TypeCount(
    'type_name', type_name,
    'is_libcore_or_array', is_libcore_or_array,
    'obj_count', obj_count,
    'size_bytes', size_bytes,
    'native_size_bytes', native_size_bytes,
    'reachable_obj_count', reachable_obj_count,
    'reachable_size_bytes', reachable_size_bytes,
    'reachable_native_size_bytes', reachable_native_size_bytes,
    'dominated_obj_count', dominated_obj_count,
    'dominated_size_bytes', dominated_size_bytes,
    'dominated_native_size_bytes', dominated_native_size_bytes)) AS counts
FROM (SELECT * FROM android_heap_graph_class_aggregation ORDER BY upid, graph_sample_ts, type_id)
GROUP BY upid, graph_sample_ts;

CREATE OR REPLACE PERFETTO VIEW _class_stats_of_process AS
SELECT upid, RepeatedField(JavaHeapClassStats_Sample('ts', ts, 'type_count', counts)) AS samples
FROM _class_stats_of_dump
GROUP BY upid;

CREATE OR REPLACE PERFETTO VIEW java_heap_class_stats_output AS
SELECT JavaHeapClassStats(
  'instance_stats', (
    SELECT RepeatedField(JavaHeapClassStats_InstanceStats(
      'upid', upid, 'process', process_metadata_proto(upid), 'samples', samples))
    FROM _class_stats_of_process
  )
) AS message;
