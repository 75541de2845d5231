-- What an area of the timeline adds up.

-- The rows of `t` (id, ts, dur and any other columns) with how long each is between `ts` and
-- `ts + dur` (`ii_dur`): those that last, then those that do not. Rows without an end are left out.
CREATE PERFETTO MACRO _intersect_slices(
  ts Expr, dur Expr, t TableOrSubquery
) RETURNS TableOrSubquery AS (
  SELECT s.*, min(s.ts + s.dur, $ts + $dur) - max(s.ts, $ts) AS ii_dur
  FROM $t AS s
  WHERE s.dur > 0 AND s.ts < $ts + $dur AND s.ts + s.dur > $ts
  UNION ALL
  SELECT s.*, 0
  FROM $t AS s
  WHERE s.dur = 0 AND s.ts >= $ts AND s.ts < $ts + $dur
);
