-- What slices lead to.

INCLUDE PERFETTO MODULE graphs.search;

-- The slices (node_id, parent_node_id) that flows reach from those of a table (id): root_node_id.
CREATE PERFETTO MACRO _slice_following_flow(source_table TableOrSubquery)
RETURNS TableOrSubquery AS (
  SELECT *
  FROM graph_reachable_weight_bounded_dfs!(
    (SELECT slice_out AS source_node_id, slice_in AS dest_node_id, 0 AS edge_weight FROM flow),
    (
      SELECT start.id AS root_node_id, 1 AS root_target_weight
      FROM $source_table AS start
      JOIN flow ON flow.slice_out = start.id
    ),
    1)
);
