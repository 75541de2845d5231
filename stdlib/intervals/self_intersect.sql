-- Time cut wherever an interval starts or ends.

-- For each part (ts, dur, group_id in the order of time) the intervals (id) that cover it, and, with
-- interval_ends_at_ts, those that end where it starts. `intervals` are id, ts, dur.
CREATE PERFETTO MACRO _interval_self_intersect(
  intervals TableOrSubquery
) RETURNS TableOrSubquery AS (
  SELECT c0 AS ts, c1 AS dur, c2 AS group_id, c3 AS id, c4 AS interval_ends_at_ts
  FROM __intrinsic_table_ptr(__intrinsic_interval_self_intersect((
    SELECT __intrinsic_interval_tree_intervals_agg(i.id, i.ts, i.dur)
    FROM (SELECT * FROM $intervals ORDER BY ts) AS i)))
  WHERE __intrinsic_table_ptr_bind(c0, 'ts')
    AND __intrinsic_table_ptr_bind(c1, 'dur')
    AND __intrinsic_table_ptr_bind(c2, 'group_id')
    AND __intrinsic_table_ptr_bind(c3, 'id')
    AND __intrinsic_table_ptr_bind(c4, 'interval_ends_at_ts')
);

CREATE PERFETTO MACRO _self_intersect_key(name ColumnName, column ColumnName) RETURNS _Columns AS
__intrinsic_stringify!($name), i.$column;

CREATE PERFETTO MACRO _self_intersect_named(column ColumnName, name ColumnName) RETURNS _Columns AS
$column AS $name;

CREATE PERFETTO MACRO _self_intersect_bound(column ColumnName, name ColumnName) RETURNS Expr AS
__intrinsic_table_ptr_bind($column, __intrinsic_stringify!($name));

-- For each part of the time of each partition how many intervals (ts, dur) cover it (cnt), and of
-- their values the sum, the least and the greatest. Where nothing is, cnt is 0; so it is at the end.
CREATE PERFETTO MACRO _interval_self_intersect_agg(
  intervals TableOrSubquery, value_column Expr, partition_columns ColumnNameList
) RETURNS TableOrSubquery AS (
  SELECT c0 AS ts, c1 AS dur, c2 AS group_id, c3 AS cnt, c4 AS sum_value, c5 AS min_value,
    c6 AS max_value
    __intrinsic_token_apply_prefix!(_self_intersect_named,
      (c7, c8, c9, c10, c11, c12, c13, c14, c15, c16, c17, c18, c19, c20, c21), $partition_columns)
  FROM __intrinsic_table_ptr(__intrinsic_interval_self_intersect_agg(
    (SELECT __intrinsic_isi_intervals_agg(i.ts, i.dur, $value_column
       __intrinsic_token_apply_prefix!(_self_intersect_key, $partition_columns,
         $partition_columns))
     FROM $intervals AS i),
    __intrinsic_stringify!($partition_columns)))
  WHERE __intrinsic_table_ptr_bind(c0, 'ts')
    AND __intrinsic_table_ptr_bind(c1, 'dur')
    AND __intrinsic_table_ptr_bind(c2, 'group_id')
    AND __intrinsic_table_ptr_bind(c3, 'cnt')
    AND __intrinsic_table_ptr_bind(c4, 'sum_value')
    AND __intrinsic_table_ptr_bind(c5, 'min_value')
    AND __intrinsic_table_ptr_bind(c6, 'max_value')
    __intrinsic_token_apply_and_prefix!(_self_intersect_bound,
      (c7, c8, c9, c10, c11, c12, c13, c14, c15, c16, c17, c18, c19, c20, c21), $partition_columns)
);

CREATE PERFETTO MACRO _self_intersect_last(name ColumnName) RETURNS ColumnName AS $name;

-- How many cover each part alone.
CREATE PERFETTO MACRO _interval_self_intersect_count(
  intervals TableOrSubquery, partition_columns ColumnNameList
) RETURNS TableOrSubquery AS (
  SELECT ts, dur, group_id, cnt
    __intrinsic_token_apply_prefix!(_self_intersect_last, $partition_columns)
  FROM _interval_self_intersect_agg!($intervals, NULL, $partition_columns)
);
