-- Samples of stacks as runs of time that all have an end.
INCLUDE PERFETTO MODULE std.stack_sample.flamechart;

-- As _stack_sample_flamechart_runs; what is there at the last point ends with it.
CREATE PERFETTO MACRO _flamechart_runs(
  tree Expr, points TableOrSubquery
) RETURNS TableOrSubquery AS (
  SELECT ts, iif(dur < 0, (SELECT max(ts) FROM $points) - ts, dur) AS dur, depth, id, sample_count
  FROM _stack_sample_flamechart_runs!($tree, $points)
);
