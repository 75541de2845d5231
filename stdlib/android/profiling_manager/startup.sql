-- Cold starts in recordings that an app made of itself, which hold nothing of other processes.

-- One row per cold start and checkpoint. From bindApplication to the end of the first frame (TTFF),
-- and to that of the app's own report that it is ready (TTI); NULL where it does not come.
CREATE PERFETTO TABLE android_profiling_manager_cold_startup(
  -- When bindApplication began.
  ts TIMESTAMP,
  -- `app_startup_ttff` or `app_startup_tti`.
  name STRING,
  -- Time to the checkpoint, NULL where it is not reached.
  dur DURATION,
  -- `TTFF` or `TTI`.
  startup_checkpoint STRING
) AS
WITH checkpoints(name, checkpoint, slice_name) AS (
  VALUES ('app_startup_ttff', 'TTFF', 'Choreographer#doFrame [0-9]*'),
    ('app_startup_tti', 'TTI', 'reportFullyDrawn*')
)
SELECT b.ts, c.name,
  (SELECT e.ts + e.dur - b.ts FROM slice AS e
   WHERE e.ts > b.ts AND e.dur >= 0 AND e.name GLOB c.slice_name ORDER BY e.ts LIMIT 1) AS dur,
  c.checkpoint AS startup_checkpoint
FROM slice AS b
JOIN checkpoints AS c
WHERE b.name = 'bindApplication';
