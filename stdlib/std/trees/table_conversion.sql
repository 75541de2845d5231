-- Trees as values: made of rows (id, parent_id and the columns named), shown as a table again.

CREATE PERFETTO MACRO _tree_from_table_col(col ColumnName) RETURNS _ProjectionFragment AS
  __intrinsic_stringify!($col), t.$col;

CREATE PERFETTO MACRO _tree_to_table_col_select(idx ColumnName, col ColumnName) RETURNS _ProjectionFragment AS
  $idx AS $col;

CREATE PERFETTO MACRO _tree_to_table_col_bind(idx ColumnName, col ColumnName) RETURNS Expr AS
  __intrinsic_table_ptr_bind($idx, __intrinsic_stringify!($col));

CREATE PERFETTO MACRO _tree_from_table(
  source_table TableOrSubquery, columns ColumnNameList
) RETURNS Expr AS (
  SELECT __intrinsic_tree_from_table('id', t.id, 'parent_id', t.parent_id,
    __intrinsic_token_apply!(_tree_from_table_col, $columns))
  FROM $source_table AS t
);

-- Adds _tree_id and _tree_parent_id: the nodes numbered from 0, parents before their children.
CREATE PERFETTO MACRO _tree_to_table(
  tree_ptr Expr, columns ColumnNameList
) RETURNS TableOrSubquery AS (
  SELECT c0 AS _tree_id, c1 AS _tree_parent_id, c2 AS id, c3 AS parent_id,
    __intrinsic_token_apply!(_tree_to_table_col_select, (c4, c5, c6, c7, c8, c9), $columns)
  FROM __intrinsic_table_ptr(__intrinsic_tree_to_table($tree_ptr))
  WHERE __intrinsic_table_ptr_bind(c0, '_tree_id')
    AND __intrinsic_table_ptr_bind(c1, '_tree_parent_id')
    AND __intrinsic_table_ptr_bind(c2, 'id')
    AND __intrinsic_table_ptr_bind(c3, 'parent_id')
    AND __intrinsic_token_apply_and!(_tree_to_table_col_bind, (c4, c5, c6, c7, c8, c9), $columns)
);
