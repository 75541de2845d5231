-- The times that intervals leave out.

INCLUDE PERFETTO MODULE std.metasql.unparenthesize;

CREATE PERFETTO MACRO __ifg_null(x Expr) RETURNS Expr AS NULL;

-- The intervals (ts, dur), and for each `group_cols` the rest of the trace with NULL as `data_cols`.
-- Intervals of a group must not overlap. (NULL) makes all one group; a row without a time names a
-- group of which nothing is known.
CREATE PERFETTO MACRO _intervals_fill_gaps(
  group_cols ColumnNameList, data_cols ColumnNameList, data TableOrSubquery
) RETURNS TableOrSubquery AS (
  WITH _given AS (
    SELECT ts, dur, metasql_unparenthesize_exprlist!($group_cols),
      metasql_unparenthesize_exprlist!($data_cols)
    FROM $data
  )
  SELECT *
  FROM (
    SELECT * FROM _given
    UNION ALL
    SELECT _free, ts - _free, metasql_unparenthesize_exprlist!($group_cols),
      __intrinsic_token_apply!(__ifg_null, $data_cols)
    FROM (
      SELECT *, coalesce(lag(ts + dur) OVER (
        PARTITION BY metasql_unparenthesize_exprlist!($group_cols) ORDER BY ts
      ), trace_start()) AS _free
      FROM _given
      WHERE ts IS NOT NULL
    )
    UNION ALL
    SELECT coalesce(max(ts + dur), trace_start()),
      trace_end() - coalesce(max(ts + dur), trace_start()),
      metasql_unparenthesize_exprlist!($group_cols),
      __intrinsic_token_apply!(__ifg_null, $data_cols)
    FROM _given
    GROUP BY metasql_unparenthesize_exprlist!($group_cols)
    UNION ALL
    SELECT trace_start(), trace_dur(), __intrinsic_token_apply!(__ifg_null, $group_cols),
      __intrinsic_token_apply!(__ifg_null, $data_cols)
    WHERE NOT EXISTS (SELECT 1 FROM _given)
  )
  WHERE dur > 0
  ORDER BY ts
);
