-- Samples of stacks as runs of time.

-- Whether a count of what was sampled on tells of time.
CREATE PERFETTO FUNCTION _stack_sample_flamechart_supported(timebase_unit STRING) RETURNS BOOL AS
SELECT coalesce($timebase_unit IN ('ns', 'cycles', 'instructions'), 0);

-- Of a tree of frames and points (ts, leaf_id) in the order of time: for how long each frame was
-- on the stack without a break. `dur` is -1 of what is there at the last point.
CREATE PERFETTO MACRO _stack_sample_flamechart_runs(
  tree Expr, points TableOrSubquery
) RETURNS TableOrSubquery AS (
  SELECT c0 AS ts, c1 AS dur, c2 AS depth, c3 AS id, c4 AS sample_count
  FROM __intrinsic_table_ptr(
    (SELECT __intrinsic_flamechart($tree, point.ts, point.leaf_id) FROM $points AS point))
  WHERE __intrinsic_table_ptr_bind(c0, 'ts')
    AND __intrinsic_table_ptr_bind(c1, 'dur')
    AND __intrinsic_table_ptr_bind(c2, 'depth')
    AND __intrinsic_table_ptr_bind(c3, 'id')
    AND __intrinsic_table_ptr_bind(c4, 'sample_count')
);
