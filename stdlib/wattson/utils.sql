-- What the estimates share.

-- From the first slice wattson_start to the last wattson_stop, which users put into a recording.
CREATE PERFETTO TABLE _wattson_markers_window AS
SELECT start AS ts, stop - start AS dur, 'Markers window' AS name
FROM (
  SELECT min(ts) FILTER (WHERE name = 'wattson_start') AS start,
    max(ts) FILTER (WHERE name = 'wattson_stop') AS stop
  FROM slice
  WHERE name IN ('wattson_start', 'wattson_stop')
)
WHERE start IS NOT NULL;

-- Tables that are to be intersected: their rows need an id.
CREATE PERFETTO MACRO _ii_subquery(tab TableOrSubquery) RETURNS TableOrSubquery AS (
  SELECT _auto_id AS id, * FROM $tab
);

-- In place of a policy: what depends on the frequency of the shared unit (DSU).
CREATE PERFETTO MACRO _dsu_dep() RETURNS Expr AS 255;

-- Eight numbers as bits, the first as the lowest: whether they are not 0.
CREATE PERFETTO MACRO _bitmask8(
  b0 Expr, b1 Expr, b2 Expr, b3 Expr, b4 Expr, b5 Expr, b6 Expr, b7 Expr
) RETURNS Expr AS (
  (($b0) <> 0) + (($b1) <> 0) * 2 + (($b2) <> 0) * 4 + (($b3) <> 0) * 8 + (($b4) <> 0) * 16
    + (($b5) <> 0) * 32 + (($b6) <> 0) * 64 + (($b7) <> 0) * 128
);

CREATE PERFETTO MACRO _extract_bit(mask Expr, bit Expr) RETURNS Expr AS ((($mask) >> ($bit)) & 1);

-- Which of eight policies are `target`, as bits; -1 is none.
CREATE PERFETTO MACRO _policy_mask(
  target Expr, p0 Expr, p1 Expr, p2 Expr, p3 Expr, p4 Expr, p5 Expr, p6 Expr, p7 Expr
) RETURNS Expr AS (
  iif(($target) = -1, 0, _bitmask8!(
    ($p0) = ($target), ($p1) = ($target), ($p2) = ($target), ($p3) = ($target), ($p4) = ($target),
    ($p5) = ($target), ($p6) = ($target), ($p7) = ($target)))
);
