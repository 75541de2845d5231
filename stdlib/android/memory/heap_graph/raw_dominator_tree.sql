-- For each reachable object the one without which it would be free (its dominator).

INCLUDE PERFETTO MODULE android.memory.heap_graph.references;
INCLUDE PERFETTO MODULE graphs.dominator_tree;

-- Roots hang below one node that is not an object.
CREATE PERFETTO FUNCTION _heap_graph_super_root_fn() RETURNS LONG AS
SELECT max(id) + 1 FROM heap_graph_object;

CREATE PERFETTO TABLE _raw_heap_graph_dominator_tree AS
SELECT node_id AS id, nullif(dominator_node_id, _heap_graph_super_root_fn()) AS idom_id
FROM graph_dominator_tree!((
  SELECT source_node_id, dest_node_id FROM _strong_references
  UNION ALL
  SELECT _heap_graph_super_root_fn(), id
  FROM heap_graph_object
  WHERE root_type IS NOT NULL AND reachable
), _heap_graph_super_root_fn())
WHERE dominator_node_id IS NOT NULL
ORDER BY node_id;
