-- Java objects by class.
INCLUDE PERFETTO MODULE android.memory.heap_graph.class_relationship;
SELECT run_metric('android/process_metadata.sql');

-- The class of Android's that each class is below, if it is one of these.
CREATE OR REPLACE PERFETTO TABLE _android_base AS
WITH RECURSIVE base(id, category) AS (
  SELECT id, name FROM heap_graph_class
  WHERE name IN (
    'android.app.Activity', 'android.app.Fragment', 'android.app.Service',
    'android.content.ContentProvider', 'android.content.BroadcastReceiver', 'android.view.View',
    'androidx.fragment.app.Fragment', 'android.view.ViewGroup'
  )
  UNION
  SELECT c.id, b.category
  FROM heap_graph_class AS c
  JOIN base AS b ON c.superclass_id = b.id
)
SELECT id, min(category) AS category FROM base GROUP BY id;

CREATE OR REPLACE PERFETTO TABLE _class_count AS
SELECT
  o.upid,
  o.graph_sample_ts AS ts,
  o.type_id,
  coalesce(c.deobfuscated_name, c.name) AS name,
  b.category,
  count(*) AS objects,
  sum(o.reachable) AS reachable_objects,
  sum(o.self_size) / 1024 AS kb,
  sum(iif(o.reachable, o.self_size, 0)) / 1024 AS reachable_kb,
  sum(o.native_size) / 1024 AS native_kb,
  sum(iif(o.reachable, o.native_size, 0)) / 1024 AS reachable_native_kb
FROM heap_graph_object AS o
JOIN heap_graph_class AS c ON c.id = o.type_id
LEFT JOIN _android_base AS b ON b.id = c.id
GROUP BY o.upid, o.graph_sample_ts, o.type_id;

CREATE OR REPLACE PERFETTO VIEW _classes_of_dump AS
SELECT
  upid,
  ts,
  RepeatedField(JavaHeapHistogram_TypeCount(
    'type_name', name,
    'category', category,
    'obj_count', objects,
    'reachable_obj_count', reachable_objects,
    'size_kb', kb,
    'reachable_size_kb', reachable_kb,
    'native_size_kb', native_kb,
    'reachable_native_size_kb', reachable_native_kb)) AS counts
FROM (SELECT * FROM _class_count ORDER BY upid, ts, type_id)
GROUP BY upid, ts;

CREATE OR REPLACE PERFETTO VIEW _dumps_of_process AS
SELECT upid, RepeatedField(JavaHeapHistogram_Sample('ts', ts, 'type_count', counts)) AS samples
FROM _classes_of_dump
GROUP BY upid;

CREATE OR REPLACE PERFETTO VIEW java_heap_histogram_output AS
SELECT JavaHeapHistogram(
  'instance_stats', (
    SELECT RepeatedField(JavaHeapHistogram_InstanceStats(
      'upid', upid, 'process', process_metadata_proto(upid), 'samples', samples))
    FROM _dumps_of_process
  )
) AS message;
