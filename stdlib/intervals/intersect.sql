-- The times that intervals of several tables have in common.

-- A column's name and its value. Published under this name, which documentation asks for.
CREATE PERFETTO MACRO _ii_df_agg(x ColumnName, y ColumnName) RETURNS _ProjectionFragment AS
__intrinsic_stringify!($x), input.$y;

-- A column bound to a result's column, and shown by its name.
CREATE PERFETTO MACRO _ii_df_bind(x Expr, y Expr) RETURNS Expr AS
__intrinsic_table_ptr_bind($x, __intrinsic_stringify!($y));

CREATE PERFETTO MACRO _ii_df_select(x ColumnName, y Expr) RETURNS _ProjectionFragment AS $x AS $y;

CREATE PERFETTO MACRO __first_arg(x Expr, y Expr) RETURNS Expr AS $x;

-- The rows of one table as a set of intervals that are told apart by the partition's columns.
CREATE PERFETTO MACRO _interval_agg_with_col_names(
  tab TableOrSubquery, agg_columns ColumnNameList, id_col ColumnName, ts_col ColumnName,
  dur_col ColumnName
) RETURNS TableOrSubquery AS (
  SELECT __intrinsic_interval_tree_intervals_agg(input.$id_col, input.$ts_col, input.$dur_col
    __intrinsic_token_apply_prefix!(_ii_df_agg, $agg_columns, $agg_columns))
  FROM (SELECT * FROM $tab ORDER BY $ts_col) AS input
);

-- The same of a table with the columns id, ts and dur.
CREATE PERFETTO MACRO _interval_agg(
  tab TableOrSubquery, agg_columns ColumnNameList
) RETURNS TableOrSubquery AS _interval_agg_with_col_names!($tab, $agg_columns, id, ts, dur);

-- `ts`, `dur`, the ids of the intervals that meet there (`id_0` of the first table, ...) and the
-- partition's columns. Takes up to 15 tables (id, ts, dur) and 15 columns that must be equal.
CREATE PERFETTO MACRO _interval_intersect(
  tabs _TableNameList, agg_columns ColumnNameList
) RETURNS TableOrSubquery AS (
  SELECT c0 AS ts, c1 AS dur
    __intrinsic_token_apply_prefix!(__first_arg,
      (c2 AS id_0, c3 AS id_1, c4 AS id_2, c5 AS id_3, c6 AS id_4, c7 AS id_5,
        c8 AS id_6, c9 AS id_7, c10 AS id_8, c11 AS id_9, c12 AS id_10, c13 AS id_11,
        c14 AS id_12, c15 AS id_13, c16 AS id_14),
      $tabs)
    __intrinsic_token_apply_prefix!(_ii_df_select,
      (c17, c18, c19, c20, c21, c22, c23, c24, c25, c26, c27, c28, c29, c30, c31),
      $agg_columns)
  FROM __intrinsic_table_ptr(__intrinsic_interval_intersect(
    __intrinsic_token_apply!(_interval_agg, $tabs,
      ($agg_columns, $agg_columns, $agg_columns, $agg_columns, $agg_columns,
        $agg_columns, $agg_columns, $agg_columns, $agg_columns, $agg_columns,
        $agg_columns, $agg_columns, $agg_columns, $agg_columns, $agg_columns,
        -- One more than there may be, so that a further table is an error and not left out.
        $agg_columns)),
    __intrinsic_stringify!($agg_columns)))
  WHERE __intrinsic_table_ptr_bind(c0, 'ts') AND __intrinsic_table_ptr_bind(c1, 'dur')
    __intrinsic_token_apply_and_prefix!(__first_arg,
      (__intrinsic_table_ptr_bind(c2, 'id_0'), __intrinsic_table_ptr_bind(c3, 'id_1'),
        __intrinsic_table_ptr_bind(c4, 'id_2'), __intrinsic_table_ptr_bind(c5, 'id_3'),
        __intrinsic_table_ptr_bind(c6, 'id_4'), __intrinsic_table_ptr_bind(c7, 'id_5'),
        __intrinsic_table_ptr_bind(c8, 'id_6'), __intrinsic_table_ptr_bind(c9, 'id_7'),
        __intrinsic_table_ptr_bind(c10, 'id_8'), __intrinsic_table_ptr_bind(c11, 'id_9'),
        __intrinsic_table_ptr_bind(c12, 'id_10'), __intrinsic_table_ptr_bind(c13, 'id_11'),
        __intrinsic_table_ptr_bind(c14, 'id_12'), __intrinsic_table_ptr_bind(c15, 'id_13'),
        __intrinsic_table_ptr_bind(c16, 'id_14')),
      $tabs)
    __intrinsic_token_apply_and_prefix!(_ii_df_bind,
      (c17, c18, c19, c20, c21, c22, c23, c24, c25, c26, c27, c28, c29, c30, c31),
      $agg_columns)
);

-- What of the intervals (id, ts, dur) lies between `ts` and `ts + dur`.
CREATE PERFETTO MACRO _interval_intersect_single(
  ts Expr, dur Expr, t TableOrSubquery
) RETURNS TableOrSubquery AS (
  SELECT id, max(ts, $ts) AS ts, min(ts + dur, $ts + $dur) - max(ts, $ts) AS dur
  FROM $t
  WHERE ts < $ts + $dur AND (ts + dur > $ts OR (dur = 0 AND ts = $ts))
);

-- Time cut wherever an interval starts or ends: for each part (ts, dur, group_id in the order of
-- time) the intervals (id) that cover it, and, with interval_ends_at_ts, those that end where it
-- starts.
CREATE PERFETTO MACRO interval_self_intersect(
  -- Intervals: id, ts, dur.
  intervals TableOrSubquery
) RETURNS TableOrSubquery AS (
  WITH _parts AS MATERIALIZED (
    SELECT row_number() OVER (ORDER BY ts) AS id, ts,
      coalesce(lead(ts) OVER (ORDER BY ts) - ts, 0) AS dur
    FROM (SELECT ts FROM $intervals UNION SELECT ts + dur FROM $intervals)
  )
  SELECT ts, dur, id_0 AS group_id, id_1 AS id, 0 AS interval_ends_at_ts
  FROM _interval_intersect!((_parts, $intervals), ())
  WHERE dur > 0
  UNION ALL
  SELECT _parts.ts, _parts.dur, _parts.id, ended.id, 1
  FROM $intervals AS ended
  JOIN _parts ON _parts.ts = ended.ts + ended.dur
);

-- A table's rows with its columns called id, ts and dur.
CREATE PERFETTO MACRO _interval_rename_cols(
  tab TableOrSubquery, agg_columns ColumnNameList, id_col ColumnName, ts_col ColumnName,
  dur_col ColumnName
) RETURNS TableOrSubquery AS (
  SELECT $id_col AS id, $ts_col AS ts, $dur_col AS dur
    __intrinsic_token_apply_prefix!(_ii_df_select, $agg_columns, $agg_columns)
  FROM $tab
);

-- Where the intervals meet of two tables that call their columns as they like.
CREATE PERFETTO MACRO _interval_intersect_with_col_names(
  tab1 TableOrSubquery, id_col1 ColumnName, ts_col1 ColumnName, dur_col1 ColumnName,
  tab2 TableOrSubquery, id_col2 ColumnName, ts_col2 ColumnName, dur_col2 ColumnName,
  agg_columns ColumnNameList
) RETURNS TableOrSubquery AS (
  SELECT *
  FROM _interval_intersect!((
    _interval_rename_cols!($tab1, $agg_columns, $id_col1, $ts_col1, $dur_col1),
    _interval_rename_cols!($tab2, $agg_columns, $id_col2, $ts_col2, $dur_col2)
  ), $agg_columns)
);
