-- Cold starts in recordings that an app made of itself, which hold nothing of other processes.

-- One row per cold start and checkpoint that it reached. From bindApplication to the end of the
-- first frame (TTFF), and to that of the app's own report that it is ready (TTI).
CREATE PERFETTO TABLE android_profiling_manager_cold_startup(
  -- When bindApplication began.
  ts TIMESTAMP,
  -- `app_startup_ttff` or `app_startup_tti`.
  name STRING,
  -- Time to the checkpoint.
  dur DURATION,
  -- `TTFF` or `TTI`.
  startup_checkpoint STRING
) AS
WITH ends AS (
  SELECT ts, ts + dur AS ts_end, 'app_startup_ttff' AS name, 'TTFF' AS checkpoint
  FROM slice
  WHERE name GLOB 'Choreographer#doFrame [0-9]*' AND dur >= 0
  UNION ALL
  SELECT ts, ts + dur, 'app_startup_tti', 'TTI'
  FROM slice
  WHERE name GLOB 'reportFullyDrawn*' AND dur >= 0
)
SELECT b.ts, e.name, e.ts_end - b.ts AS dur, e.checkpoint AS startup_checkpoint
FROM slice AS b
JOIN ends AS e ON e.ts > b.ts
WHERE b.name = 'bindApplication'
GROUP BY b.id, e.name
HAVING min(e.ts) IS NOT NULL;
