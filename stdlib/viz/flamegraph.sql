-- Flame graphs in steps, as releases of Perfetto's web UI up to 58 ask for them. They keep each step in a table:
-- frames (id, parentId, name, value and columns of their own) with what filters say of them; those that are
-- shown; what lies in them; a hash of the way to each; one node a hash; where nodes stand.

INCLUDE PERFETTO MODULE graphs.scan;
INCLUDE PERFETTO MODULE std.metasql.unparenthesize;

-- hash() takes no NULL.
CREATE PERFETTO MACRO _viz_flamegraph_hash_coalesce(col ColumnName) RETURNS Expr AS coalesce($col, 0);

CREATE PERFETTO MACRO _viz_flamegraph_s_prefix(col ColumnName) RETURNS Expr AS s.$col;

-- The filters are expressions of the frame's columns. A stack is shown whose frames together have all bits of
-- `show_stack`; one that is hidden has a bit that nobody asks for.
CREATE PERFETTO MACRO _viz_flamegraph_prepare_filter(
  tab TableOrSubquery, show_stack Expr, hide_stack Expr, show_from_frame Expr, hide_frame Expr,
  pivot Expr, impossible_stack_bits Expr, grouping ColumnNameList
) RETURNS TableOrSubquery AS (
  SELECT *, iif($hide_stack, $impossible_stack_bits, $show_stack) AS stackBits,
    $show_from_frame AS showFromFrameBits, NOT $hide_frame AS showFrame, $pivot AS isPivot,
    hash(coalesce(name, ''), __intrinsic_token_apply!(_viz_flamegraph_hash_coalesce, $grouping))
      AS groupingHash
  FROM $tab
  ORDER BY id
);

-- What is known of a frame of `frames` by what is known of its caller (`around`, with the frame's id):
-- `filteredId` is the frame, or the next one towards the root that is shown.
CREATE PERFETTO MACRO _viz_flamegraph_filter_step(
  around TableOrSubquery, frames TableOrSubquery, show_from_frame_bits Expr
) RETURNS TableOrSubquery AS (
  SELECT id, iif(_shown, id, filteredId) AS filteredId,
    CASE WHEN NOT _shown THEN filteredParentId WHEN NOT isPivot THEN filteredId END AS filteredParentId,
    iif(_shown, filteredId, filteredUnpivotedParentId) AS filteredUnpivotedParentId,
    iif(showFrame, _from, showFromFrameBits) AS showFromFrameBits,
    iif(_shown, stackBits | _own, stackBits) AS stackBits
  FROM (
    SELECT t.*, x.showFrame, x.isPivot, x.stackBits AS _own,
      t.showFromFrameBits | x.showFromFrameBits AS _from,
      x.showFrame AND (t.showFromFrameBits | x.showFromFrameBits) = $show_from_frame_bits AS _shown
    FROM $around AS t
    JOIN $frames AS x USING (id)
  )
);

-- Frames that are shown, with the values of those that are not, which they called. A pivot has no `parentId`.
CREATE PERFETTO MACRO _viz_flamegraph_filter_frames(
  source TableOrSubquery, show_from_frame_bits Expr
) RETURNS TableOrSubquery AS (
  SELECT g.filteredId AS id, g.filteredParentId AS parentId,
    g.filteredUnpivotedParentId AS unpivotedParentId, g.stackBits, sum(f.value) AS value
  FROM _graph_scan!(
    (SELECT parentId AS source_node_id, id AS dest_node_id FROM $source WHERE parentId IS NOT NULL),
    _viz_flamegraph_filter_step!(
      (SELECT id, NULL AS filteredId, NULL AS filteredParentId, NULL AS filteredUnpivotedParentId,
         0 AS showFromFrameBits, 0 AS stackBits
       FROM $source WHERE parentId IS NULL),
      $source, $show_from_frame_bits),
    (filteredId, filteredParentId, filteredUnpivotedParentId, showFromFrameBits, stackBits),
    (SELECT * FROM _viz_flamegraph_filter_step!($table, $source, $show_from_frame_bits))
  ) AS g
  JOIN $source AS f USING (id)
  WHERE g.filteredId IS NOT NULL
  GROUP BY g.filteredId
  ORDER BY g.filteredId
);

-- The value of each frame and all that it called, of the stacks that are shown.
CREATE PERFETTO MACRO _viz_flamegraph_accumulate(
  filtered TableOrSubquery, showStackBits Expr
) RETURNS TableOrSubquery AS (
  SELECT id, cumulativeValue
  FROM _graph_aggregating_scan!(
    (SELECT id AS source_node_id, parentId AS dest_node_id FROM $filtered WHERE parentId IS NOT NULL),
    (SELECT id, value AS cumulativeValue FROM $filtered
     WHERE stackBits = $showStackBits
       AND id NOT IN (SELECT parentId FROM $filtered WHERE parentId IS NOT NULL)),
    (cumulativeValue),
    (SELECT id, _inside + iif(f.stackBits = $showStackBits, f.value, 0) AS cumulativeValue
     FROM (SELECT id, sum(cumulativeValue) AS _inside FROM $table GROUP BY id)
     JOIN $filtered AS f USING (id))
  )
  ORDER BY id
);

-- From each pivot to who called it: `depth` is -1, -2, and the value of all is the pivot's.
CREATE PERFETTO MACRO _viz_flamegraph_upwards_hash(
  source TableOrSubquery, filtered TableOrSubquery, accumulated TableOrSubquery,
  grouping ColumnNameList, grouped ColumnNameList
) RETURNS TableOrSubquery AS (
  SELECT g.id, g.hash, g.parentHash, g.depth, s.name,
    __intrinsic_token_apply!(_viz_flamegraph_s_prefix, $grouping),
    __intrinsic_token_apply!(_viz_flamegraph_s_prefix, $grouped),
    f.value, g.cumulativeValue
  FROM _graph_scan!(
    (SELECT id AS source_node_id, unpivotedParentId AS dest_node_id FROM $filtered
     WHERE unpivotedParentId IS NOT NULL),
    (SELECT id, hash(-1, s.groupingHash) AS hash, NULL AS parentHash, -1 AS depth, a.cumulativeValue
     FROM $accumulated AS a
     JOIN $source AS s USING (id)
     WHERE s.isPivot AND a.cumulativeValue > 0),
    (hash, parentHash, depth, cumulativeValue),
    (SELECT id, hash(t.hash, s.groupingHash) AS hash, t.hash AS parentHash, t.depth - 1 AS depth,
       t.cumulativeValue
     FROM $table AS t
     JOIN $source AS s USING (id))
  ) AS g
  JOIN $source AS s USING (id)
  JOIN $filtered AS f USING (id)
);

-- From the roots to what they called: `depth` is 1, 2.
CREATE PERFETTO MACRO _viz_flamegraph_downwards_hash(
  source TableOrSubquery, filtered TableOrSubquery, accumulated TableOrSubquery,
  grouping ColumnNameList, grouped ColumnNameList, showDownward Expr
) RETURNS TableOrSubquery AS (
  SELECT g.id, g.hash, g.parentHash, g.depth, s.name,
    __intrinsic_token_apply!(_viz_flamegraph_s_prefix, $grouping),
    __intrinsic_token_apply!(_viz_flamegraph_s_prefix, $grouped),
    f.value, a.cumulativeValue
  FROM _graph_scan!(
    (SELECT parentId AS source_node_id, id AS dest_node_id FROM $filtered WHERE parentId IS NOT NULL),
    (SELECT id, hash(1, s.groupingHash) AS hash, NULL AS parentHash, 1 AS depth
     FROM $filtered AS f
     JOIN $source AS s USING (id)
     WHERE f.parentId IS NULL AND $showDownward),
    (hash, parentHash, depth),
    (SELECT id, hash(t.hash, s.groupingHash) AS hash, t.hash AS parentHash, t.depth + 1 AS depth
     FROM $table AS t
     JOIN $source AS s USING (id))
  ) AS g
  JOIN $source AS s USING (id)
  JOIN $filtered AS f USING (id)
  JOIN $accumulated AS a USING (id)
  ORDER BY g.hash
);

-- One node for all frames of a hash, called like the first of them. `hashed` is a table in the order of hashes.
CREATE PERFETTO MACRO _viz_flamegraph_merge_hashes(
  hashed TableOrSubquery, grouping ColumnNameList, grouped_agged_exprs ColumnNameList
) RETURNS TableOrSubquery AS (
  SELECT min(_auto_id) AS id,
    (SELECT min(p._auto_id) FROM $hashed AS p WHERE p.hash = c.parentHash) AS parentId,
    depth, name,
    metasql_unparenthesize_exprlist!($grouping),
    metasql_unparenthesize_exprlist!($grouped_agged_exprs),
    sum(value) AS value, sum(cumulativeValue) AS cumulativeValue
  FROM $hashed AS c
  GROUP BY hash
);

-- Where nodes stand among those of their parent, the widest first.
CREATE PERFETTO MACRO _viz_flamegraph_local_layout(
  merged TableOrSubquery
) RETURNS TableOrSubquery AS (
  SELECT id, _end - cumulativeValue AS xStart, _end AS xEnd
  FROM (
    SELECT id, cumulativeValue,
      sum(cumulativeValue) OVER (PARTITION BY parentId, depth
        ORDER BY cumulativeValue DESC, id ROWS UNBOUNDED PRECEDING) AS _end
    FROM $merged
    WHERE cumulativeValue > 0
  )
  ORDER BY id
);

-- The nodes that have a place, and where they stand in the graph.
CREATE PERFETTO MACRO _viz_flamegraph_global_layout(
  merged TableOrSubquery, layout TableOrSubquery, grouping ColumnNameList, grouped ColumnNameList
) RETURNS TableOrSubquery AS (
  SELECT s.id, coalesce(s.parentId, -1) AS parentId,
    iif(coalesce(s.name, '') = '', 'unknown', s.name) AS name,
    __intrinsic_token_apply!(_viz_flamegraph_s_prefix, $grouping),
    __intrinsic_token_apply!(_viz_flamegraph_s_prefix, $grouped),
    s.value AS selfValue, s.cumulativeValue, p.cumulativeValue AS parentCumulativeValue, s.depth,
    g.xStart, g.xEnd
  FROM _graph_scan!(
    (SELECT parentId AS source_node_id, id AS dest_node_id FROM $merged WHERE parentId IS NOT NULL),
    (SELECT id, 1 AS rootDistance, l.xStart, l.xEnd
     FROM $merged AS m
     JOIN $layout AS l USING (id)
     WHERE m.parentId IS NULL),
    (rootDistance, xStart, xEnd),
    (SELECT id, t.rootDistance + 1 AS rootDistance, t.xStart + l.xStart AS xStart,
       t.xStart + l.xEnd AS xEnd
     FROM $table AS t
     JOIN $layout AS l USING (id))
  ) AS g
  JOIN $merged AS s USING (id)
  LEFT JOIN $merged AS p ON p.id = s.parentId
  ORDER BY rootDistance, xStart
);
