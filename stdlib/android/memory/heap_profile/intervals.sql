-- Dumps of native memory as the times that they are of.

-- One row per process, heap and dump. A dump that does not tell when its profile began is of the
-- time since the heap's dump before, or since the trace's start.
CREATE PERFETTO TABLE _android_heap_profile_intervals AS
WITH dump AS (
  SELECT min(a.id) AS id, a.upid, a.heap_name, a.ts AS ts_end, p.ts AS told_ts
  FROM heap_profile_allocation AS a
  JOIN heap_profile AS p ON p.upid = a.upid AND p.ts_end = a.ts
  GROUP BY a.upid, a.heap_name, a.ts
), begun AS (
  SELECT *, lag(ts_end, 1, trace_start()) OVER (
      PARTITION BY upid, heap_name ORDER BY ts_end) AS last_ts
  FROM dump
)
SELECT id, upid, heap_name, ts, ts_end - ts AS dur
FROM (
  SELECT *, CASE WHEN told_ts < ts_end THEN told_ts ELSE min(last_ts + 1, ts_end) END AS ts
  FROM begun
);
