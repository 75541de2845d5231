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
