-- The objects of a heap by the classes on the shortest path that keeps them alive.

INCLUDE PERFETTO MODULE android.memory.heap_graph.class_tree;
INCLUDE PERFETTO MODULE graphs.scan;

CREATE PERFETTO TABLE _heap_class_sums AS
SELECT id, objects, size
FROM _graph_aggregating_scan!(
  (SELECT id AS source_node_id, parent_id AS dest_node_id FROM _heap_graph_class_tree
   WHERE parent_id IS NOT NULL),
  (SELECT id, self_count AS objects, self_size AS size FROM _heap_graph_class_tree
   WHERE id NOT IN (SELECT parent_id FROM _heap_graph_class_tree WHERE parent_id IS NOT NULL)),
  (objects, size),
  (SELECT t.id, sum(t.objects) + n.self_count AS objects, sum(t.size) + n.self_size AS size
   FROM $table AS t
   JOIN _heap_graph_class_tree AS n ON n.id = t.id
   GROUP BY t.id)
);

-- One row per path of classes from a root. Native memory registered for the objects of a path is one
-- more node, called [native] and their class.
CREATE PERFETTO TABLE android_heap_graph_class_summary_tree(
  -- When the heap was dumped.
  graph_sample_ts TIMESTAMP,
  -- The process.
  upid JOINID(process.id),
  -- Number of the node.
  id LONG,
  -- The node above (joins `id`); NULL for roots.
  parent_id LONG,
  -- Name of the class, deobfuscated if possible.
  name STRING,
  -- Kind of root of the node's objects; NULL where they are none.
  root_type STRING,
  -- Objects of the class on this path.
  self_count LONG,
  -- Bytes of the class's objects on this path.
  self_size LONG,
  -- Objects of the node and all below it.
  cumulative_count LONG,
  -- Bytes of the objects of the node and all below it.
  cumulative_size LONG
) AS
SELECT n.graph_sample_ts, n.upid, n.id, n.parent_id, n.name, n.root_type, n.self_count, n.self_size,
  s.objects AS cumulative_count, s.size AS cumulative_size
FROM _heap_graph_class_tree AS n
JOIN _heap_class_sums AS s ON s.id = n.id
ORDER BY n.id;
