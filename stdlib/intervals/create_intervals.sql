-- Intervals from times at which something starts and times at which it ends.

CREATE PERFETTO MACRO _time_set(times TableOrSubquery) RETURNS Expr AS (
  SELECT __intrinsic_timestamp_set_agg(input.ts) FROM (SELECT ts FROM $times ORDER BY ts) AS input
);

-- `ts` and `dur`: each start lasts to the next end that is later than it. Several starts may share
-- an end; a start without one is left out.
CREATE PERFETTO MACRO _interval_create(
  starts_table TableOrSubquery, ends_table TableOrSubquery
) RETURNS TableOrSubquery AS (
  SELECT c0 AS ts, c1 AS dur
  FROM __intrinsic_table_ptr(
    __intrinsic_interval_create(_time_set!($starts_table), _time_set!($ends_table)))
  WHERE __intrinsic_table_ptr_bind(c0, 'ts') AND __intrinsic_table_ptr_bind(c1, 'dur')
);
