-- How many intervals cover a time, and intervals joined where they overlap.

INCLUDE PERFETTO MODULE intervals.intersect;
INCLUDE PERFETTO MODULE std.metasql.unparenthesize;

-- How many of the segments there are from each change on: ts, value. A segment without an end
-- (duration -1) never stops to count.
CREATE PERFETTO MACRO intervals_overlap_count(
  -- Segments with a start and a duration.
  segments TableOrSubquery,
  -- Column of the start.
  ts_column ColumnName,
  -- Column of the duration.
  dur_column ColumnName
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

-- How many of each group's segments there are from each change on: ts, value, group_name.
CREATE PERFETTO MACRO intervals_overlap_count_by_group(
  -- Segments with a start, a duration and a group.
  segments TableOrSubquery,
  -- Column of the start.
  ts_column ColumnName,
  -- Column of the duration.
  dur_column ColumnName,
  -- Column of the group.
  group_column ColumnName
) RETURNS TableOrSubquery AS (
  SELECT ts, sum(sum(change)) OVER (PARTITION BY group_name ORDER BY ts) AS value, group_name
  FROM (
    SELECT $ts_column AS ts, 1 AS change, $group_column AS group_name FROM $segments
    UNION ALL
    SELECT $ts_column + $dur_column, -1, $group_column FROM $segments WHERE $dur_column <> -1
  )
  GROUP BY group_name, ts
  ORDER BY ts, group_name
);

-- Intervals that overlap, or lie at most `epsilon` apart, become one: ts, dur.
CREATE PERFETTO MACRO interval_merge_overlapping(
  -- Intervals: ts, dur.
  intervals TableOrSubquery,
  -- Longest gap within one, ns.
  epsilon Expr
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

-- Intervals of equal `partition_columns` that overlap or touch become one: ts, dur and these
-- columns.
CREATE PERFETTO MACRO interval_merge_overlapping_partitioned(
  -- Intervals: ts, dur and the partition's columns.
  intervals TableOrSubquery,
  -- Columns that must be equal, in brackets.
  partition_columns ColumnNameList
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

-- 1 where some of the intervals overlap, else 0; those that have not ended (duration -1) are left
-- out.
CREATE PERFETTO MACRO _intervals_overlap_in_table(intervals TableOrSubquery) RETURNS Expr AS (
  SELECT coalesce(max(ts + dur > next_ts), 0) AS has_overlaps
  FROM (SELECT ts, dur, lead(ts) OVER (ORDER BY ts) AS next_ts FROM $intervals WHERE dur <> -1)
);

-- Each interval (root_id, id, parent_id, ts, dur) of `children_table` with the one it lies in, of
-- `roots_table` (id, ts, dur). A root without children has a row with nothing in it.
CREATE PERFETTO MACRO _intervals_merge_root_and_children(
  roots_table TableOrSubquery, children_table TableOrSubquery
) RETURNS TableOrSubquery AS (
  WITH _inner AS (SELECT * FROM $children_table WHERE dur > 0)
  SELECT roots.id AS root_id, roots.ts AS root_ts, roots.dur AS root_dur, _inner.id,
    _inner.parent_id, _inner.ts, _inner.dur
  FROM $roots_table AS roots
  LEFT JOIN _inner ON _inner.root_id = roots.id
  WHERE roots.dur > 0
);

-- The same where times and the column `key` tell which root a child lies in. What sticks out of the
-- root is cut off.
CREATE PERFETTO MACRO _intervals_merge_root_and_children_by_intersection(
  roots_table TableOrSubquery, children_table TableOrSubquery, key ColumnName
) RETURNS TableOrSubquery AS (
  WITH _outer AS (SELECT * FROM $roots_table WHERE dur > 0),
  _inner AS (SELECT * FROM $children_table WHERE dur > 0)
  SELECT met.ts, met.dur, _inner.id, coalesce(_inner.parent_id, met.id_1) AS parent_id,
    _outer.id AS root_id, _outer.ts AS root_ts, _outer.dur AS root_dur, met.$key
  FROM _interval_intersect!((_inner, _outer), ($key)) AS met
  JOIN _inner ON _inner.id = met.id_0
  JOIN _outer ON _outer.id = met.id_1
);

-- The time of each root cut where something in it (root_id, root_ts, root_dur, id, parent_id, ts,
-- dur) begins or ends; `id` is the innermost there, the root itself where there is nothing else.
CREATE PERFETTO MACRO _intervals_flatten(
  children_with_roots_table TableOrSubquery
) RETURNS TableOrSubquery AS (
  WITH _given AS (
    SELECT * FROM $children_with_roots_table WHERE root_dur > 0 AND coalesce(dur, 1) > 0
  ),
  _bound AS (
    SELECT root_id, root_ts + root_dur AS root_end, root_ts AS ts, root_id AS id, 0 AS rank
    FROM _given
    UNION ALL
    SELECT root_id, root_ts + root_dur, ts + dur, coalesce(parent_id, root_id), 1
    FROM _given
    WHERE id IS NOT NULL
    UNION ALL
    SELECT root_id, root_ts + root_dur, ts, id, 2 FROM _given WHERE id IS NOT NULL
  ),
  _cut AS (
    SELECT root_id, root_end, ts, id, max(rank) FROM _bound GROUP BY root_id, ts
  )
  SELECT root_id, id, ts, dur
  FROM (
    SELECT root_id, id, ts, lead(ts, 1, root_end) OVER (PARTITION BY root_id ORDER BY ts) - ts AS dur
    FROM _cut
  )
  WHERE dur > 0
);
