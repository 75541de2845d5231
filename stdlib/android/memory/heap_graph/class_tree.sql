-- Java heaps as trees of classes on the shortest paths from the roots, and what users ask of a class
-- of such a tree. Those macros take objects with the hashes of their paths (id, path_hash), and the
-- hashes that are asked about (path_hash).

INCLUDE PERFETTO MODULE android.memory.heap_graph.helpers;
INCLUDE PERFETTO MODULE android.memory.heap_graph.references;
INCLUDE PERFETTO MODULE graphs.search;

-- What several roots hold is below the first of them by the name of its class.
CREATE PERFETTO TABLE _heap_graph_object_min_depth_tree AS
SELECT node_id AS id, parent_node_id AS parent_id
FROM graph_reachable_bfs!(
  (SELECT source_node_id, dest_node_id FROM _strong_references ORDER BY dest_node_id),
  (SELECT o.id AS node_id
   FROM heap_graph_object AS o
   JOIN heap_graph_class AS c ON c.id = o.type_id
   WHERE o.root_type IS NOT NULL
   ORDER BY coalesce(c.deobfuscated_name, c.name), o.id)
)
ORDER BY id;

CREATE PERFETTO TABLE _heap_graph_path_hashes AS
SELECT * FROM _heap_graph_type_path_hash!(_heap_graph_object_min_depth_tree);

CREATE PERFETTO TABLE _heap_graph_path_hashes_aggregated AS
SELECT * FROM _heap_graph_path_hash_aggregate!(_heap_graph_path_hashes);

CREATE PERFETTO TABLE _heap_graph_class_tree AS
SELECT * FROM _heap_graph_path_hashes_to_class_tree!(_heap_graph_path_hashes_aggregated);

-- By class, all objects that can be reached over `edges` (source_node_id, dest_node_id) from those of
-- the paths.
CREATE PERFETTO MACRO _heap_graph_reached_by_class(
  edges TableOrSubquery, path_hashes TableOrSubquery, path_hash_values TableOrSubquery
) RETURNS TableOrSubquery AS (
  SELECT coalesce(c.deobfuscated_name, c.name) AS class_name, o.heap_type, o.root_type, o.reachable,
    sum(o.self_size) AS total_size, sum(o.native_size) AS total_native_size, count(*) AS count
  FROM graph_reachable_bfs!(
    $edges, (SELECT id AS node_id FROM $path_hashes JOIN $path_hash_values USING (path_hash))
  ) AS found
  JOIN heap_graph_object AS o ON o.id = found.node_id
  JOIN heap_graph_class AS c ON c.id = o.type_id
  GROUP BY class_name, o.heap_type, o.root_type, o.reachable
  ORDER BY count DESC
);

-- By class, the objects of the paths and all below them in the tree.
CREATE PERFETTO MACRO _heap_graph_retained_object_count_agg(
  path_hashes TableOrSubquery, path_hash_values TableOrSubquery
) RETURNS TableOrSubquery AS (
  SELECT *
  FROM _heap_graph_reached_by_class!(
    (SELECT parent_id AS source_node_id, id AS dest_node_id FROM _heap_graph_object_min_depth_tree
     WHERE parent_id IS NOT NULL),
    $path_hashes, $path_hash_values)
);

-- By class, the objects of the paths and all above them in the tree.
CREATE PERFETTO MACRO _heap_graph_retaining_object_count_agg(
  path_hashes TableOrSubquery, path_hash_values TableOrSubquery
) RETURNS TableOrSubquery AS (
  SELECT *
  FROM _heap_graph_reached_by_class!(
    (SELECT id AS source_node_id, parent_id AS dest_node_id FROM _heap_graph_object_min_depth_tree
     WHERE parent_id IS NOT NULL),
    $path_hashes, $path_hash_values)
);

-- By class, on how many of the paths its objects are.
CREATE PERFETTO MACRO _heap_graph_duplicate_objects_agg(
  path_hashes TableOrSubquery
) RETURNS TableOrSubquery AS (
  SELECT count(DISTINCT h.path_hash) AS path_count, count(*) AS object_count,
    sum(o.self_size) AS total_size, sum(o.native_size) AS total_native_size,
    coalesce(c.deobfuscated_name, c.name) AS class_name
  FROM $path_hashes AS h
  JOIN heap_graph_object AS o ON o.id = h.id
  JOIN heap_graph_class AS c ON c.id = o.type_id
  GROUP BY class_name
  ORDER BY path_count DESC
);
