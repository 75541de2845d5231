-- Searching graphs that are given as a table of edges (source_node_id, dest_node_id).

-- Every node that can be reached, depth first: node_id, and parent_node_id that led there.
CREATE PERFETTO MACRO graph_reachable_dfs(
  -- Edges: source_node_id, dest_node_id.
  graph_table TableOrSubquery,
  -- Where to start: node_id.
  start_nodes TableOrSubquery
) RETURNS TableOrSubquery AS (
  SELECT c0 AS node_id, c1 AS parent_node_id
  FROM __intrinsic_table_ptr(__intrinsic_dfs(
    (SELECT __intrinsic_graph_agg(source_node_id, dest_node_id) FROM $graph_table),
    (SELECT __intrinsic_array_agg(node_id) FROM $start_nodes)))
  WHERE __intrinsic_table_ptr_bind(c0, 'node_id')
    AND __intrinsic_table_ptr_bind(c1, 'parent_node_id')
);

-- Every node that can be reached, nearest first: node_id, and parent_node_id that led there.
CREATE PERFETTO MACRO graph_reachable_bfs(
  -- Edges: source_node_id, dest_node_id.
  graph_table TableOrSubquery,
  -- Where to start: node_id.
  start_nodes TableOrSubquery
) RETURNS TableOrSubquery AS (
  SELECT c0 AS node_id, c1 AS parent_node_id
  FROM __intrinsic_table_ptr(__intrinsic_bfs(
    (SELECT __intrinsic_graph_agg(source_node_id, dest_node_id) FROM $graph_table),
    (SELECT __intrinsic_array_agg(node_id) FROM $start_nodes)))
  WHERE __intrinsic_table_ptr_bind(c0, 'node_id')
    AND __intrinsic_table_ptr_bind(c1, 'parent_node_id')
);

-- The next sibling of each node among its parent's children: node_id, next_node_id.
CREATE PERFETTO MACRO graph_next_sibling(
  -- Nodes: node_id, node_parent_id, sort_key.
  graph_table TableOrSubquery
) RETURNS TableOrSubquery AS (
  SELECT node_id, lead(node_id) OVER (PARTITION BY node_parent_id ORDER BY sort_key)
    AS next_node_id
  FROM $graph_table
);

-- From each root (root_node_id, root_target_weight) by itself a depth-first search over edges with
-- an edge_weight. It ends when the weights of all edges taken exceed the root's weight; the node
-- that did so is left out, unless `is_target_weight_floor`.
CREATE PERFETTO MACRO graph_reachable_weight_bounded_dfs(
  -- Edges: source_node_id, dest_node_id, edge_weight.
  graph_table TableOrSubquery,
  -- Roots: root_node_id, root_target_weight.
  root_table TableOrSubquery,
  -- 1 to take the node that exceeds the weight, too.
  is_target_weight_floor Expr
) RETURNS TableOrSubquery AS (
  SELECT root_node_id, node_id, parent_node_id
  FROM (
    SELECT RepeatedField(source_node_id) AS sources, RepeatedField(dest_node_id) AS dests,
      RepeatedField(edge_weight) AS weights
    FROM $graph_table
  ) AS edges
  JOIN (
    SELECT RepeatedField(root_node_id) AS nodes, RepeatedField(root_target_weight) AS bounds
    FROM $root_table
  ) AS roots
  JOIN __intrinsic_dfs_weight_bounded(edges.sources, edges.dests, edges.weights, roots.nodes,
    roots.bounds, $is_target_weight_floor)
);
