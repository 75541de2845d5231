-- For each reachable object the one without which it would be free (its dominator), and what would
-- be free without the object itself.

INCLUDE PERFETTO MODULE android.memory.heap_graph.raw_dominator_tree;
INCLUDE PERFETTO MODULE graphs.scan;

CREATE PERFETTO TABLE _heap_dominator_depths AS
SELECT id, depth
FROM _graph_scan!(
  (SELECT idom_id AS source_node_id, id AS dest_node_id FROM _raw_heap_graph_dominator_tree
   WHERE idom_id IS NOT NULL),
  (SELECT id, 1 AS depth FROM _raw_heap_graph_dominator_tree WHERE idom_id IS NULL),
  (depth),
  (SELECT t.id, t.depth + 1 AS depth FROM $table AS t)
);

-- Sums go up from the objects that dominate nothing.
CREATE PERFETTO TABLE _heap_dominated AS
SELECT id, objects, size, native_size
FROM _graph_aggregating_scan!(
  (SELECT id AS source_node_id, idom_id AS dest_node_id FROM _raw_heap_graph_dominator_tree
   WHERE idom_id IS NOT NULL),
  (SELECT d.id, 1 AS objects, o.self_size AS size, o.native_size
   FROM _raw_heap_graph_dominator_tree AS d
   JOIN heap_graph_object AS o ON o.id = d.id
   WHERE d.id NOT IN (SELECT idom_id FROM _raw_heap_graph_dominator_tree WHERE idom_id IS NOT NULL)),
  (objects, size, native_size),
  (SELECT t.id, sum(t.objects) + 1 AS objects, sum(t.size) + o.self_size AS size,
     sum(t.native_size) + o.native_size AS native_size
   FROM $table AS t
   JOIN heap_graph_object AS o ON o.id = t.id
   GROUP BY t.id)
);

-- One row per reachable object.
CREATE PERFETTO TABLE heap_graph_dominator_tree(
  -- The object (joins heap_graph_object.id).
  id LONG,
  -- The object's immediate dominator (joins heap_graph_object.id); NULL if only the roots are above
  -- it.
  idom_id LONG,
  -- Objects that the object dominates, itself included.
  dominated_obj_count LONG,
  -- Bytes of the dominated objects.
  dominated_size_bytes LONG,
  -- Bytes of native memory that are registered for the dominated objects.
  dominated_native_size_bytes LONG,
  -- How many dominators there are from the roots down to the object, itself included: 1 below the
  -- roots.
  depth LONG
) AS
SELECT d.id, d.idom_id, s.objects AS dominated_obj_count, s.size AS dominated_size_bytes,
  s.native_size AS dominated_native_size_bytes, depths.depth
FROM _raw_heap_graph_dominator_tree AS d
JOIN _heap_dominated AS s ON s.id = d.id
JOIN _heap_dominator_depths AS depths ON depths.id = d.id
ORDER BY d.id;
