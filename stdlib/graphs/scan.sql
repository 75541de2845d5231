-- Carrying rows along a graph's edges (source_node_id, dest_node_id). A scan starts with rows
-- (id and the columns named), and a query of the caller's makes a step's rows from $table: the rows
-- that came in over the edges, whose id is the node that they came to.

CREATE PERFETTO MACRO _graph_scan_df_agg(x ColumnName, y ColumnName) RETURNS _ProjectionFragment AS
  __intrinsic_stringify!($x), init_table.$y;

CREATE PERFETTO MACRO _graph_scan_select(x ColumnName, y ColumnName) RETURNS _ProjectionFragment AS
  result.$x AS $y;

CREATE PERFETTO MACRO _graph_scan_bind(x ColumnName, y ColumnName) RETURNS Expr AS
  __intrinsic_table_ptr_bind(result.$x, __intrinsic_stringify!($y));

-- The rows given out are the starts and all that the step makes, until no row goes on. A row steps
-- as often as there are ways to its node: a graph with a cycle needs a step that ends it.
CREATE PERFETTO MACRO _graph_scan(
  graph_table TableOrSubquery, init_table TableOrSubquery,
  scan_columns ColumnNameList, step_query TableOrSubquery
) RETURNS TableOrSubquery AS (
  SELECT result.c0 AS id,
    __intrinsic_token_apply!(_graph_scan_select, (c1, c2, c3, c4, c5, c6, c7), $scan_columns)
  FROM __intrinsic_table_ptr(__intrinsic_graph_scan(
    (SELECT __intrinsic_graph_agg(edges.source_node_id, edges.dest_node_id)
    FROM $graph_table AS edges),
    (SELECT __intrinsic_row_dataframe_agg(
      'id', init_table.id, __intrinsic_token_apply!(_graph_scan_df_agg, $scan_columns, $scan_columns))
    FROM $init_table AS init_table),
    __intrinsic_stringify_ignore_table!($step_query),
    __intrinsic_stringify!($scan_columns))) AS result
  WHERE __intrinsic_table_ptr_bind(result.c0, 'id')
    AND __intrinsic_token_apply_and!(_graph_scan_bind, (c1, c2, c3, c4, c5, c6, c7), $scan_columns)
);

-- The same, but a node steps once, when all rows that can come to it are there: `agg_query` groups
-- $table by id. The graph must have no cycle within reach of the starts.
CREATE PERFETTO MACRO _graph_aggregating_scan(
  graph_table TableOrSubquery, init_table TableOrSubquery,
  agg_columns ColumnNameList, agg_query TableOrSubquery
) RETURNS TableOrSubquery AS (
  SELECT result.c0 AS id,
    __intrinsic_token_apply!(_graph_scan_select, (c1, c2, c3, c4, c5, c6, c7), $agg_columns)
  FROM __intrinsic_table_ptr(__intrinsic_graph_aggregating_scan(
    (SELECT __intrinsic_graph_agg(edges.source_node_id, edges.dest_node_id)
    FROM $graph_table AS edges),
    (SELECT __intrinsic_row_dataframe_agg(
      'id', init_table.id, __intrinsic_token_apply!(_graph_scan_df_agg, $agg_columns, $agg_columns))
    FROM $init_table AS init_table),
    __intrinsic_stringify_ignore_table!($agg_query),
    __intrinsic_stringify!($agg_columns))) AS result
  WHERE __intrinsic_table_ptr_bind(result.c0, 'id')
    AND __intrinsic_token_apply_and!(_graph_scan_bind, (c1, c2, c3, c4, c5, c6, c7), $agg_columns)
);
