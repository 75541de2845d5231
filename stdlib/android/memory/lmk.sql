-- Processes that were killed for want of memory.

INCLUDE PERFETTO MODULE android.oom_adjuster;

-- lmkd says "lmk,PID,REASON,SCORE", in instants since 2025 and in slices since 2021; both may be
-- there. Before that it only counted the pid.
CREATE PERFETTO MACRO _lmk_slices(slices TableOrSubquery) RETURNS TableOrSubquery AS (
  SELECT ts, CAST(str_split(name, ',', 1) AS INTEGER) AS pid,
    CAST(str_split(name, ',', 2) AS INTEGER) AS kill_reason_raw,
    CAST(str_split(name, ',', 3) AS INTEGER) AS oom_score_adj
  FROM $slices
  WHERE name GLOB 'lmk,*'
);

CREATE PERFETTO TABLE _lmk_instant_events AS
SELECT *
FROM _lmk_slices!((
  SELECT s.ts, s.name
  FROM process_track AS t
  JOIN slice AS s ON s.track_id = t.id
  WHERE t.name = 'lowmemorykiller' AND s.dur = 0
));

CREATE PERFETTO TABLE _legacy_lmk_events AS
SELECT * FROM _lmk_slices!((SELECT ts, name FROM slice WHERE dur > 0));

CREATE PERFETTO TABLE _kill_one_process_events AS
SELECT c.ts, CAST(c.value AS INTEGER) AS pid, NULL AS kill_reason_raw,
  o.score AS oom_score_adj
FROM counter_track AS t
JOIN counter AS c ON c.track_id = t.id
LEFT JOIN (
  SELECT process.pid, i.ts, i.dur, i.score
  FROM android_oom_adj_intervals AS i
  JOIN process USING (upid)
) AS o ON o.pid = CAST(c.value AS INTEGER) AND c.ts >= o.ts AND c.ts < o.ts + o.dur
WHERE t.name = 'kill_one_process' AND c.value > 0;

-- The newest way that there is anything of.
CREATE PERFETTO VIEW _android_lmk_events AS
SELECT * FROM _lmk_instant_events
UNION ALL
SELECT * FROM _legacy_lmk_events WHERE NOT EXISTS (SELECT 1 FROM _lmk_instant_events)
UNION ALL
SELECT *
FROM _kill_one_process_events
WHERE NOT EXISTS (SELECT 1 FROM _lmk_instant_events)
  AND NOT EXISTS (SELECT 1 FROM _legacy_lmk_events);

CREATE PERFETTO FUNCTION _android_lmk_kill_reason_string(kill_reason LONG) RETURNS STRING AS
SELECT CASE
  WHEN $kill_reason = 0 THEN 'PRESSURE_AFTER_KILL'
  WHEN $kill_reason = 1 THEN 'NOT_RESPONDING'
  WHEN $kill_reason = 2 THEN 'LOW_SWAP_AND_THRASHING'
  WHEN $kill_reason = 3 THEN 'LOW_MEM_AND_SWAP'
  WHEN $kill_reason = 4 THEN 'LOW_MEM_AND_THRASHING'
  WHEN $kill_reason = 5 THEN 'DIRECT_RECL_AND_THRASHING'
  WHEN $kill_reason = 6 THEN 'LOW_MEM_AND_SWAP_UTIL'
  WHEN $kill_reason = 7 THEN 'LOW_FILECACHE_AFTER_THRASHING'
  WHEN $kill_reason = 8 THEN 'LOW_MEM'
  WHEN $kill_reason = 9 THEN 'DIRECT_RECL_STUCK'
  WHEN $kill_reason BETWEEN 1000 AND 1999 THEN 'VENDOR_REASON'
  ELSE 'UNKNOWN'
END;

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
SELECT k.ts, p.upid, k.pid, p.name AS process_name, coalesce(k.oom_score_adj, (
    SELECT o.score
    FROM android_oom_adj_intervals AS o
    WHERE o.upid = p.upid AND k.ts >= o.ts AND k.ts < o.ts + o.dur
  )) AS oom_score_adj,
  _android_lmk_kill_reason_string(k.kill_reason_raw) AS kill_reason, k.kill_reason_raw
FROM _android_lmk_events AS k
LEFT JOIN process AS p ON p.pid = k.pid AND k.ts >= coalesce(p.start_ts, k.ts)
  AND k.ts <= coalesce(p.end_ts, k.ts)
ORDER BY k.ts;
