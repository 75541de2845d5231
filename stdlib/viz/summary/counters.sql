-- The counters that have values, and whether they belong to no process, thread, CPU or GPU.

CREATE PERFETTO TABLE _counter_track_summary AS
SELECT id, NOT EXISTS (
    SELECT 1
    FROM args
    WHERE args.arg_set_id = t.dimension_arg_set_id AND key IN ('upid', 'utid', 'cpu', 'gpu')
  ) AS is_legacy_global
FROM counter_track AS t
WHERE id IN (SELECT track_id FROM counter);
