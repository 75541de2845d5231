-- Trees as profiles in pprof's format.

INCLUDE PERFETTO MODULE std.trees.table_conversion;

-- The value is each node's own, not the sum of those below.
CREATE PERFETTO MACRO _pprof_from_tree(
  tree_ptr Expr, name_column ColumnName, value_column ColumnName, value_type Expr, value_unit Expr
) RETURNS Expr AS (
  SELECT profile_from_tree(_tree_id, _tree_parent_id, $name_column, $value_column,
    $value_type, $value_unit)
  FROM _tree_to_table!($tree_ptr, ($name_column, $value_column))
);
