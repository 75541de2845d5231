-- Java heaps as trees of objects on the shortest paths from the roots.

INCLUDE PERFETTO MODULE android.memory.heap_graph.class_tree;

-- What is below each object, itself included. An object out of reach stands for itself.
CREATE PERFETTO TABLE _heap_graph_object_tree_aggregation AS
FROM (
  SELECT o.id, t.parent_id, o.self_size, o.native_size, 1 AS object
  FROM heap_graph_object AS o
  LEFT JOIN _heap_graph_object_min_depth_tree AS t USING (id)
)
|> TREE ACCUMULATE UP SUM(self_size) AS cumulative_size, SUM(native_size) AS cumulative_native_size,
  SUM(object) AS cumulative_count
|> SELECT id, cumulative_size, cumulative_native_size, cumulative_count;

-- How many references hold each object that is held.
CREATE PERFETTO TABLE _heap_graph_incoming_refs AS
SELECT owned_id AS id, count() AS cnt
FROM heap_graph_reference
WHERE owned_id IS NOT NULL
GROUP BY owned_id;

-- How many objects each one holds that holds any.
CREATE PERFETTO TABLE _heap_graph_outgoing_refs AS
SELECT owner_id AS id, count() AS cnt
FROM heap_graph_reference
WHERE owned_id IS NOT NULL
GROUP BY owner_id;

-- The objects of the paths that hold others, with how many, and what is below them.
CREATE PERFETTO MACRO _heap_graph_object_references_agg(
  path_hashes TableOrSubquery, path_hash_values TableOrSubquery
) RETURNS TableOrSubquery AS (
  SELECT h.path_hash, coalesce(c.deobfuscated_name, c.name) AS class_name,
    count(r.owned_id) AS outgoing_reference_count,
    a.cumulative_size + a.cumulative_native_size AS total_cumulative_size, a.cumulative_size,
    a.cumulative_native_size, a.cumulative_count, o.*
  FROM $path_hashes AS h
  JOIN $path_hash_values USING (path_hash)
  JOIN heap_graph_object AS o ON o.id = h.id
  JOIN _heap_graph_object_tree_aggregation AS a ON a.id = h.id
  JOIN heap_graph_class AS c ON c.id = o.type_id
  JOIN heap_graph_reference AS r ON r.owner_id = o.id
  GROUP BY o.id
  ORDER BY total_cumulative_size DESC
);

-- What holds the objects of the paths, with what is below those.
CREATE PERFETTO MACRO _heap_graph_incoming_references_agg(
  path_hashes TableOrSubquery, path_hash_values TableOrSubquery
) RETURNS TableOrSubquery AS (
  SELECT h.path_hash, coalesce(c.deobfuscated_name, c.name) AS class_name,
    coalesce(r.deobfuscated_field_name, r.field_name) AS field_name, r.field_type_name,
    a.cumulative_size + a.cumulative_native_size AS total_cumulative_size, a.cumulative_size,
    a.cumulative_native_size, a.cumulative_count, o.*
  FROM $path_hashes AS h
  JOIN $path_hash_values USING (path_hash)
  JOIN heap_graph_reference AS r ON r.owned_id = h.id
  JOIN heap_graph_object AS o ON o.id = r.owner_id
  JOIN _heap_graph_object_tree_aggregation AS a ON a.id = h.id
  JOIN heap_graph_class AS c ON c.id = o.type_id
  ORDER BY total_cumulative_size DESC
);

-- What the objects of the paths hold, with what is below that.
CREATE PERFETTO MACRO _heap_graph_outgoing_references_agg(
  path_hashes TableOrSubquery, path_hash_values TableOrSubquery
) RETURNS TableOrSubquery AS (
  SELECT h.path_hash, coalesce(c.deobfuscated_name, c.name) AS class_name,
    coalesce(r.deobfuscated_field_name, r.field_name) AS field_name, r.field_type_name,
    a.cumulative_size + a.cumulative_native_size AS total_cumulative_size, a.cumulative_size,
    a.cumulative_native_size, a.cumulative_count, o.*
  FROM $path_hashes AS h
  JOIN $path_hash_values USING (path_hash)
  JOIN heap_graph_reference AS r ON r.owner_id = h.id
  JOIN heap_graph_object AS o ON o.id = r.owned_id
  JOIN _heap_graph_object_tree_aggregation AS a ON a.id = o.id
  JOIN heap_graph_class AS c ON c.id = o.type_id
  ORDER BY total_cumulative_size DESC
);
