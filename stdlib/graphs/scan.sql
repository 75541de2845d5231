-- Carrying rows along a graph's edges (source_node_id, dest_node_id). A scan starts with rows
-- (id and the columns named), and a query of the caller's makes a step's rows from $table: the rows
-- that came in over the edges, whose id is the node that they came to.

CREATE PERFETTO MACRO _scan_start_value(name ColumnName) RETURNS _ProjectionFragment AS
  __intrinsic_stringify!($name), starts.$name;

CREATE PERFETTO MACRO _scan_column(slot ColumnName, name ColumnName) RETURNS _ProjectionFragment AS
  scanned.$slot AS $name;

CREATE PERFETTO MACRO _scan_binding(slot ColumnName, name ColumnName) RETURNS Expr AS
  __intrinsic_table_ptr_bind(scanned.$slot, __intrinsic_stringify!($name));

-- The rows given out are the starts and all that the step makes, until no row goes on. A row steps
-- as often as there are ways to its node: a graph with a cycle needs a step that ends it.
CREATE PERFETTO MACRO _graph_scan(
  graph_table TableOrSubquery, init_table TableOrSubquery,
  scan_columns ColumnNameList, step_query TableOrSubquery
) RETURNS TableOrSubquery AS (
  SELECT scanned.c0 AS id,
    __intrinsic_token_apply!(_scan_column, (c1, c2, c3, c4, c5, c6, c7), $scan_columns)
  FROM __intrinsic_table_ptr(__intrinsic_graph_scan(
    (SELECT __intrinsic_graph_agg(edges.source_node_id, edges.dest_node_id)
    FROM $graph_table AS edges),
    (SELECT __intrinsic_row_dataframe_agg(
      'id', starts.id, __intrinsic_token_apply!(_scan_start_value, $scan_columns))
    FROM $init_table AS starts),
    __intrinsic_stringify_ignore_table!($step_query),
    __intrinsic_stringify!($scan_columns))) AS scanned
  WHERE __intrinsic_table_ptr_bind(scanned.c0, 'id')
    AND __intrinsic_token_apply_and!(_scan_binding, (c1, c2, c3, c4, c5, c6, c7), $scan_columns)
);

-- The same, but a node steps once, when all rows that can come to it are there: `agg_query` groups
-- $table by id. The graph must have no cycle within reach of the starts.
CREATE PERFETTO MACRO _graph_aggregating_scan(
  graph_table TableOrSubquery, init_table TableOrSubquery,
  agg_columns ColumnNameList, agg_query TableOrSubquery
) RETURNS TableOrSubquery AS (
  SELECT scanned.c0 AS id,
    __intrinsic_token_apply!(_scan_column, (c1, c2, c3, c4, c5, c6, c7), $agg_columns)
  FROM __intrinsic_table_ptr(__intrinsic_graph_aggregating_scan(
    (SELECT __intrinsic_graph_agg(edges.source_node_id, edges.dest_node_id)
    FROM $graph_table AS edges),
    (SELECT __intrinsic_row_dataframe_agg(
      'id', starts.id, __intrinsic_token_apply!(_scan_start_value, $agg_columns))
    FROM $init_table AS starts),
    __intrinsic_stringify_ignore_table!($agg_query),
    __intrinsic_stringify!($agg_columns))) AS scanned
  WHERE __intrinsic_table_ptr_bind(scanned.c0, 'id')
    AND __intrinsic_token_apply_and!(_scan_binding, (c1, c2, c3, c4, c5, c6, c7), $agg_columns)
);
