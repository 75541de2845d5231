-- Where the boxes of a flamegraph stand.

-- Adds to the nodes (_tree_id, _tree_parent_id, depth) from where (`xStart`) to where (`xEnd`) each
-- reaches: as far as its value of the column `cumulative`, in its parent's box, the widest first.
CREATE PERFETTO MACRO _flamegraph_layout(
  tab TableOrSubquery, cumulative ColumnName
) RETURNS TableOrSubquery AS (
  WITH RECURSIVE _node AS MATERIALIZED (
    SELECT * FROM $tab WHERE $cumulative > 0
  ),
  _offset AS MATERIALIZED (
    SELECT _tree_id AS id, _tree_parent_id AS parent_id, $cumulative AS width,
      sum($cumulative) OVER (PARTITION BY _tree_parent_id, depth
        ORDER BY $cumulative DESC, _tree_id ROWS UNBOUNDED PRECEDING) - $cumulative AS x
    FROM _node
  ),
  _placed(id, x, parent_width, distance) AS (
    SELECT id, x, NULL, 1 FROM _offset WHERE parent_id IS NULL
    UNION ALL
    SELECT inner_box.id, _placed.x + inner_box.x, outer_box.width, distance + 1
    FROM _placed
    JOIN _offset AS outer_box ON outer_box.id = _placed.id
    JOIN _offset AS inner_box ON inner_box.parent_id = _placed.id
  )
  SELECT _node.*, _placed.parent_width AS parentCumulativeValue, _placed.x AS xStart,
    _placed.x + _node.$cumulative AS xEnd
  FROM _placed
  JOIN _node ON _node._tree_id = _placed.id
  ORDER BY distance, xStart, depth DESC
);
