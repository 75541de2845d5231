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
