-- Objects of a heap by class.

INCLUDE PERFETTO MODULE android.memory.heap_graph.dominator_tree;
INCLUDE PERFETTO MODULE graphs.partition;

-- An object below one of its own class adds nothing to what the class dominates.
CREATE PERFETTO TABLE _heap_class_tops AS
SELECT id
FROM _graph_scan!(
  (SELECT idom_id AS source_node_id, id AS dest_node_id FROM heap_graph_dominator_tree
   WHERE idom_id IS NOT NULL),
  (SELECT d.id, '/' || o.type_id || '/' AS types, TRUE AS is_top
   FROM heap_graph_dominator_tree AS d
   JOIN heap_graph_object AS o ON o.id = d.id
   WHERE d.idom_id IS NULL),
  (types, is_top),
  (SELECT t.id,
     iif(instr(t.types, '/' || o.type_id || '/'), t.types, t.types || o.type_id || '/') AS types,
     instr(t.types, '/' || o.type_id || '/') = 0 AS is_top
   FROM $table AS t
   JOIN heap_graph_object AS o ON o.id = t.id)
)
WHERE is_top;

-- One row per class and dump.
CREATE PERFETTO TABLE android_heap_graph_class_aggregation(
  -- The process.
  upid JOINID(process.id),
  -- When the heap was dumped.
  graph_sample_ts TIMESTAMP,
  -- The class (joins heap_graph_class.id).
  type_id LONG,
  -- Name of the class, deobfuscated if possible.
  type_name STRING,
  -- Whether the class is of the core library or an array, which says little of who is to blame.
  is_libcore_or_array BOOL,
  -- Objects of the class.
  obj_count LONG,
  -- Bytes of the class's objects.
  size_bytes LONG,
  -- Bytes of native memory that are registered for the class's objects.
  native_size_bytes LONG,
  -- Objects of the class that something keeps alive.
  reachable_obj_count LONG,
  -- Bytes of the class's objects that something keeps alive.
  reachable_size_bytes LONG,
  -- Bytes of native memory that are registered for the class's reachable objects.
  reachable_native_size_bytes LONG,
  -- Objects that the class's objects dominate, these included.
  dominated_obj_count LONG,
  -- Bytes of the dominated objects.
  dominated_size_bytes LONG,
  -- Bytes of native memory that are registered for the dominated objects.
  dominated_native_size_bytes LONG
) AS
SELECT o.upid, o.graph_sample_ts, o.type_id, coalesce(c.deobfuscated_name, c.name) AS type_name,
  regexp('^(java\.(?!lang\.Class<)|j\$\.|(int|long|byte|char|short|float|double|boolean)\[|'
    || 'android\.util\..*Array)', coalesce(c.deobfuscated_name, c.name)) AS is_libcore_or_array,
  count(*) AS obj_count, sum(o.self_size) AS size_bytes, sum(o.native_size) AS native_size_bytes,
  sum(o.reachable) AS reachable_obj_count,
  sum(iif(o.reachable, o.self_size, 0)) AS reachable_size_bytes,
  sum(iif(o.reachable, o.native_size, 0)) AS reachable_native_size_bytes,
  coalesce(sum(d.dominated_obj_count), 0) AS dominated_obj_count,
  coalesce(sum(d.dominated_size_bytes), 0) AS dominated_size_bytes,
  coalesce(sum(d.dominated_native_size_bytes), 0) AS dominated_native_size_bytes
FROM heap_graph_object AS o
JOIN heap_graph_class AS c ON c.id = o.type_id
LEFT JOIN _heap_class_tops AS t ON t.id = o.id
LEFT JOIN heap_graph_dominator_tree AS d ON d.id = t.id
GROUP BY o.upid, o.graph_sample_ts, o.type_id;
