-- Whom the GPU works for.

INCLUDE PERFETTO MODULE android.gpu.work_period;

CREATE PERFETTO TABLE _gpu_tasks AS
SELECT s.ts, s.dur, t.uid, t.gpu_id
FROM android_gpu_work_period_track AS t
JOIN slice AS s ON s.track_id = t.id
WHERE s.dur > 0;

CREATE PERFETTO TABLE _gpu_active_task_count AS
SELECT ts, dur, active_tasks
FROM (
  SELECT ts, lead(ts) OVER (ORDER BY ts) - ts AS dur, sum(step) OVER (ORDER BY ts) AS active_tasks
  FROM (
    SELECT ts, sum(step) AS step
    FROM (SELECT ts, 1 AS step FROM _gpu_tasks UNION ALL SELECT ts + dur, -1 FROM _gpu_tasks)
    GROUP BY ts
  )
)
WHERE dur > 0;
