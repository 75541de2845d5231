-- Classes and those derived from them.

INCLUDE PERFETTO MODULE graphs.scan;
INCLUDE PERFETTO MODULE graphs.search;

-- The given classes and all derived from them, in a column `id` (joins heap_graph_class.id).
CREATE PERFETTO MACRO android_heap_graph_class_find_descendants(
  -- Classes to begin with, in a column `id`.
  ancestor_class_ids TableOrSubquery
)
-- A table of ids, each once.
RETURNS TableOrSubquery AS (
  SELECT node_id AS id
  FROM graph_reachable_bfs!(
    (SELECT superclass_id AS source_node_id, id AS dest_node_id FROM heap_graph_class
     WHERE superclass_id IS NOT NULL),
    (SELECT id AS node_id FROM $ancestor_class_ids)
  )
);
