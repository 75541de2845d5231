-- Dumps of native memory as the times that they are of.

-- What a dump tells of a callstack: frees are negative.
CREATE PERFETTO TABLE _heap_dump_callsites AS
SELECT min(id) AS id, upid, heap_name, ts, sum(count) AS count, sum(size) AS size,
  sum(size) FILTER (WHERE size > 0) AS allocated
FROM heap_profile_allocation
GROUP BY upid, heap_name, ts, callsite_id;

-- One row per process, heap and dump. A dump that does not tell when its profile began is of the
-- time since the heap's dump before, or since the trace's start. `retained` has what callstacks did
-- not free again in that time, `delta` all that they allocated less all that they freed.
CREATE PERFETTO TABLE _android_heap_profile_intervals AS
WITH dump AS (
  SELECT min(c.id) AS id, c.upid, c.heap_name, c.ts AS ts_end, p.ts AS told_ts,
    sum(iif(c.count > 0, c.size, 0)) AS retained, sum(coalesce(c.allocated, 0)) AS allocated,
    sum(c.size) AS delta
  FROM _heap_dump_callsites AS c
  JOIN heap_profile AS p ON p.upid = c.upid AND p.ts_end = c.ts
  GROUP BY c.upid, c.heap_name, c.ts
), begun AS (
  SELECT *, lag(ts_end, 1, trace_start()) OVER (
      PARTITION BY upid, heap_name ORDER BY ts_end) AS last_ts
  FROM dump
)
SELECT id, upid, heap_name, ts, ts_end - ts AS dur, retained, allocated, delta
FROM (
  SELECT *, CASE WHEN told_ts < ts_end THEN told_ts ELSE min(last_ts + 1, ts_end) END AS ts
  FROM begun
);
