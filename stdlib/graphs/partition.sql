-- One tree for each group of a tree's nodes (id, parent_id, group_key): a node hangs below its
-- nearest ancestor of the same group.

-- The trees as one table: id, parent_id (NULL for a root), group_key.
CREATE PERFETTO MACRO tree_structural_partition_by_group(
  -- Nodes: id, parent_id, group_key.
  tree_table TableOrSubquery
) RETURNS TableOrSubquery AS (
  SELECT c0 AS id, c1 AS parent_id, c2 AS group_key
  FROM __intrinsic_table_ptr(
    (SELECT __intrinsic_structural_tree_partition(id, parent_id, group_key) FROM $tree_table))
  WHERE __intrinsic_table_ptr_bind(c0, 'node_id')
    AND __intrinsic_table_ptr_bind(c1, 'parent_node_id')
    AND __intrinsic_table_ptr_bind(c2, 'group_key')
);
