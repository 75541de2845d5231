-- How many intervals cover a time, and intervals joined where they overlap.

INCLUDE PERFETTO MODULE std.metasql.unparenthesize;

-- `ts` and `value`: from each change on, how many of the segments there are. A segment without an
-- end (duration -1) never stops to count.
CREATE PERFETTO MACRO intervals_overlap_count(
  segments TableOrSubquery, ts_column ColumnName, dur_column ColumnName
) RETURNS TableOrSubquery AS (
  SELECT ts, sum(sum(change)) OVER (ORDER BY ts) AS value
  FROM (
    SELECT $ts_column AS ts, 1 AS change FROM $segments
    UNION ALL
    SELECT $ts_column + $dur_column, -1 FROM $segments WHERE $dur_column <> -1
  )
  GROUP BY ts
  ORDER BY ts
);

-- The same for each group by itself.
CREATE PERFETTO MACRO intervals_overlap_count_by_group(
  segments TableOrSubquery, ts_column ColumnName, dur_column ColumnName, group_column ColumnName
) RETURNS TableOrSubquery AS (
  SELECT ts, sum(sum(change)) OVER (PARTITION BY group_name ORDER BY ts) AS value, group_name
  FROM (
    SELECT $ts_column AS ts, 1 AS change, $group_column AS group_name FROM $segments
    UNION ALL
    SELECT $ts_column + $dur_column, -1, $group_column FROM $segments WHERE $dur_column <> -1
  )
  GROUP BY group_name, ts
  ORDER BY group_name, ts
);

-- Intervals that overlap, or lie at most `epsilon` apart, become one.
CREATE PERFETTO MACRO interval_merge_overlapping(
  intervals TableOrSubquery, epsilon Expr
) RETURNS TableOrSubquery AS (
  SELECT min(ts) AS ts, max(ts_end) - min(ts) AS dur
  FROM (
    SELECT ts, ts_end, sum(starts) OVER (ORDER BY ts, ts_end ROWS UNBOUNDED PRECEDING) AS number
    FROM (
      SELECT ts, ts + dur AS ts_end,
        coalesce(ts > max(ts + dur) OVER (
          ORDER BY ts, dur ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) + ($epsilon), 1)
          AS starts
      FROM $intervals
    )
  )
  GROUP BY number
  ORDER BY ts
);

-- The same within each group of equal `partition_columns`; intervals that touch become one, too.
CREATE PERFETTO MACRO interval_merge_overlapping_partitioned(
  intervals TableOrSubquery, partition_columns ColumnNameList
) RETURNS TableOrSubquery AS (
  SELECT min(ts) AS ts, max(_end) - min(ts) AS dur,
    metasql_unparenthesize_exprlist!($partition_columns)
  FROM (
    SELECT *, sum(_starts) OVER (
      PARTITION BY metasql_unparenthesize_exprlist!($partition_columns)
      ORDER BY ts, _end ROWS UNBOUNDED PRECEDING) AS _number
    FROM (
      SELECT *, ts + dur AS _end,
        coalesce(ts > max(ts + dur) OVER (
          PARTITION BY metasql_unparenthesize_exprlist!($partition_columns)
          ORDER BY ts, dur ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), 1) AS _starts
      FROM $intervals
    )
  )
  GROUP BY metasql_unparenthesize_exprlist!($partition_columns), _number
);
