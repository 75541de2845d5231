-- Dominators in a graph of edges (source_node_id, dest_node_id): each node with the nearest one that
-- every path from the root goes through.

-- The nodes that can be reached: node_id and dominator_node_id, which is NULL for the root.
CREATE PERFETTO MACRO graph_dominator_tree(
  -- Edges: source_node_id, dest_node_id.
  graph_table TableOrSubquery,
  -- Node that all paths start from.
  root_node_id Expr
) RETURNS TableOrSubquery AS (
  SELECT c0 AS node_id, c1 AS dominator_node_id
  FROM __intrinsic_table_ptr(
    (SELECT __intrinsic_dominator_tree(source_node_id, dest_node_id, $root_node_id)
    FROM $graph_table))
  WHERE __intrinsic_table_ptr_bind(c0, 'node_id')
    AND __intrinsic_table_ptr_bind(c1, 'dominator_node_id')
);
