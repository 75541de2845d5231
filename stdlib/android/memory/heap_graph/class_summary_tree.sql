-- The objects of a heap by the classes on the shortest path that keeps them alive.

INCLUDE PERFETTO MODULE android.memory.heap_graph.references;
INCLUDE PERFETTO MODULE graphs.scan;
INCLUDE PERFETTO MODULE graphs.search;

CREATE PERFETTO TABLE _heap_shortest_paths AS
SELECT node_id AS id, parent_node_id AS parent_id
FROM graph_reachable_bfs!(
  _strong_references,
  (SELECT id AS node_id FROM heap_graph_object WHERE root_type IS NOT NULL AND reachable)
);

-- A path is a hash of its classes; objects of one class that hold each other (lists) are one step.
CREATE PERFETTO TABLE _heap_class_paths AS
SELECT id, path, parent_path
FROM _graph_scan!(
  (SELECT parent_id AS source_node_id, id AS dest_node_id FROM _heap_shortest_paths
   WHERE parent_id IS NOT NULL),
  (SELECT o.id, o.type_id AS class_id,
     hash(o.upid, o.graph_sample_ts, coalesce(o.root_type, ''), o.type_id) AS path,
     0 AS parent_path
   FROM _heap_shortest_paths AS p
   JOIN heap_graph_object AS o ON o.id = p.id
   WHERE p.parent_id IS NULL),
  (class_id, path, parent_path),
  (SELECT t.id, o.type_id AS class_id,
     iif(o.type_id = t.class_id, t.path, hash(t.path, o.type_id)) AS path,
     iif(o.type_id = t.class_id, t.parent_path, t.path) AS parent_path
   FROM $table AS t
   JOIN heap_graph_object AS o ON o.id = t.id)
);

CREATE PERFETTO TABLE _heap_class_nodes AS
SELECT row_number() OVER (ORDER BY min(p.id)) - 1 AS id, p.path, p.parent_path, o.upid,
  o.graph_sample_ts, o.type_id, max(o.root_type) AS root_type, count(*) AS self_count,
  sum(o.self_size) AS self_size
FROM _heap_class_paths AS p
JOIN heap_graph_object AS o ON o.id = p.id
GROUP BY p.path;

CREATE PERFETTO TABLE _heap_class_tree AS
SELECT n.id, parent.id AS parent_id, n.upid, n.graph_sample_ts, n.type_id,
  iif(parent.id IS NULL, n.root_type, NULL) AS root_type, n.self_count, n.self_size
FROM _heap_class_nodes AS n
LEFT JOIN _heap_class_nodes AS parent ON parent.path = n.parent_path;

CREATE PERFETTO TABLE _heap_class_sums AS
SELECT id, objects, size
FROM _graph_aggregating_scan!(
  (SELECT id AS source_node_id, parent_id AS dest_node_id FROM _heap_class_tree
   WHERE parent_id IS NOT NULL),
  (SELECT id, self_count AS objects, self_size AS size FROM _heap_class_tree
   WHERE id NOT IN (SELECT parent_id FROM _heap_class_tree WHERE parent_id IS NOT NULL)),
  (objects, size),
  (SELECT t.id, sum(t.objects) + n.self_count AS objects, sum(t.size) + n.self_size AS size
   FROM $table AS t
   JOIN _heap_class_tree AS n ON n.id = t.id
   GROUP BY t.id)
);

-- One row per path of classes from a root. Sizes are those of Java objects.
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
  -- Kind of root; NULL below roots.
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
SELECT n.graph_sample_ts, n.upid, n.id, n.parent_id,
  coalesce(c.deobfuscated_name, c.name) AS name, n.root_type, n.self_count, n.self_size,
  s.objects AS cumulative_count, s.size AS cumulative_size
FROM _heap_class_tree AS n
JOIN heap_graph_class AS c ON c.id = n.type_id
JOIN _heap_class_sums AS s ON s.id = n.id
ORDER BY n.id;
