-- Processes that were killed for want of memory.

INCLUDE PERFETTO MODULE android.oom_adjuster;

-- lmkd says "lmk,PID,REASON,SCORE", in instants since 2025 and in slices since 2021; both may be
-- there. Before that it only counted the pid.
CREATE PERFETTO TABLE _lmk_kills AS
WITH kills AS (
  SELECT 1 AS place, s.ts, s.name
  FROM process_track AS t
  JOIN slice AS s ON s.track_id = t.id
  WHERE t.name = 'lowmemorykiller' AND s.name GLOB 'lmk,*' AND s.dur = 0
  UNION ALL
  SELECT 2, ts, name FROM slice WHERE name GLOB 'lmk,*' AND dur > 0
  UNION ALL
  SELECT 3, c.ts, 'lmk,' || CAST(c.value AS INTEGER)
  FROM counter_track AS t
  JOIN counter AS c ON c.track_id = t.id
  WHERE t.name = 'kill_one_process' AND c.value > 0
)
SELECT ts, CAST(str_split(name, ',', 1) AS INTEGER) AS pid,
  CAST(str_split(name, ',', 2) AS INTEGER) AS reason,
  CAST(str_split(name, ',', 3) AS INTEGER) AS score
FROM kills
WHERE place = (SELECT min(place) FROM kills);

-- One row per process that the low memory killer killed.
CREATE PERFETTO TABLE android_lmk_events(
  -- When the process was killed.
  ts TIMESTAMP,
  -- The process; NULL if not in the trace.
  upid JOINID(process.upid),
  -- Pid of the process.
  pid LONG,
  -- Name of the process.
  process_name STRING,
  -- oom_score_adj of the process, as reported or as last known.
  oom_score_adj LONG,
  -- Name of lmkd's reason; `UNKNOWN` for other numbers or none.
  kill_reason STRING,
  -- Number of lmkd's reason; NULL if not reported.
  kill_reason_raw LONG
) AS
SELECT k.ts, p.upid, k.pid, p.name AS process_name, coalesce(k.score, (
    SELECT o.score
    FROM android_oom_adj_intervals AS o
    WHERE o.upid = p.upid AND k.ts >= o.ts AND k.ts < o.ts + o.dur
  )) AS oom_score_adj,
  CASE
    WHEN k.reason = 0 THEN 'PRESSURE_AFTER_KILL'
    WHEN k.reason = 1 THEN 'NOT_RESPONDING'
    WHEN k.reason = 2 THEN 'LOW_SWAP_AND_THRASHING'
    WHEN k.reason = 3 THEN 'LOW_MEM_AND_SWAP'
    WHEN k.reason = 4 THEN 'LOW_MEM_AND_THRASHING'
    WHEN k.reason = 5 THEN 'DIRECT_RECL_AND_THRASHING'
    WHEN k.reason = 6 THEN 'LOW_MEM_AND_SWAP_UTIL'
    WHEN k.reason = 7 THEN 'LOW_FILECACHE_AFTER_THRASHING'
    WHEN k.reason = 8 THEN 'LOW_MEM'
    WHEN k.reason = 9 THEN 'DIRECT_RECL_STUCK'
    WHEN k.reason BETWEEN 1000 AND 1999 THEN 'VENDOR_REASON'
    ELSE 'UNKNOWN'
  END AS kill_reason, k.reason AS kill_reason_raw
FROM _lmk_kills AS k
LEFT JOIN process AS p ON p.pid = k.pid AND k.ts >= coalesce(p.start_ts, k.ts)
  AND k.ts <= coalesce(p.end_ts, k.ts)
ORDER BY k.ts;
