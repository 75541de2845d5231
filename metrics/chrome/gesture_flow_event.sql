-- Steps of the updates of gestures: what of Chrome handled an update, from its event until it was on the screen. A template:
-- `prefix` and `id_field` are those of gesture_jank.sql.
SELECT run_metric('chrome/{{prefix}}_jank.sql');

-- Slices of the flows of updates, and each update as the step that its flow begins with. A step is done by the task around
-- it: the outermost slice, or the one below it if that is a run of many tasks.
CREATE OR REPLACE PERFETTO TABLE _{{prefix}}_step AS
WITH
  flow AS (
    SELECT
      id, ts, dur, track_id, arg_set_id,
      extract_arg(arg_set_id, 'chrome_latency_info.trace_id') AS trace_id
    FROM slice
    WHERE name = 'LatencyInfo.Flow'
  ),
  task AS (
    SELECT f.id AS flow_id, a.id, a.ts, a.dur
    FROM flow AS f
    JOIN ancestor_slice(f.id) AS a
    WHERE a.depth = iif(
      EXISTS (
        SELECT 1 FROM ancestor_slice(f.id) AS o WHERE o.depth = 0 AND o.name = 'ThreadController active'),
      1, 0)
  )
SELECT
  f.id, f.ts, f.dur, f.track_id, f.trace_id,
  extract_arg(f.arg_set_id, 'chrome_latency_info.step') AS step,
  ifnull(t.id, f.id) AS task_id,
  ifnull(t.ts, f.ts) AS task_ts,
  ifnull(t.dur, f.dur) AS task_dur,
  j.id AS update_id
FROM flow AS f
JOIN {{prefix}}_jank AS j USING (trace_id)
LEFT JOIN task AS t ON t.flow_id = f.id
WHERE f.trace_id != -1
UNION ALL
SELECT id, ts, dur, track_id, trace_id, 'AsyncBegin', id, ts, 0, id
FROM {{prefix}}_jank;

-- Steps from the update until the first one behind its end: programs at the same time may use the same numbers.
CREATE OR REPLACE PERFETTO TABLE _{{prefix}}_step_of_update AS
WITH last AS (
  SELECT s.update_id, min(s.ts) AS ts
  FROM _{{prefix}}_step AS s
  JOIN {{prefix}}_jank AS j ON j.id = s.update_id
  WHERE s.ts > j.ts + j.dur
  GROUP BY s.update_id
)
SELECT
  s.*,
  j.{{id_field}},
  j.avg_vsync_interval,
  j.ts AS update_ts,
  j.dur AS update_dur,
  j.track_id AS update_track_id,
  j.jank
FROM _{{prefix}}_step AS s
JOIN {{prefix}}_jank AS j ON j.id = s.update_id
JOIN last AS l ON l.update_id = s.update_id
WHERE s.ts BETWEEN j.ts AND l.ts
ORDER BY j.{{id_field}}, s.trace_id, s.ts;

-- A step without a name is the first, the last or an unknown one of its update.
CREATE OR REPLACE PERFETTO TABLE _{{prefix}}_named_step AS
SELECT
  *,
  coalesce(
    step,
    CASE
      WHEN lag({{id_field}}) OVER steps IS NOT {{id_field}}
        OR lag(trace_id) OVER steps IS NOT trace_id
        OR lag(step) OVER steps = 'AsyncBegin'
      THEN 'Begin'
      WHEN lead({{id_field}}) OVER steps IS NOT {{id_field}}
        OR lead(trace_id) OVER steps IS NOT trace_id
      THEN 'End'
      ELSE 'Unknown'
    END) AS step_name
FROM _{{prefix}}_step_of_update
WINDOW steps AS (ORDER BY {{id_field}}, trace_id, ts);

-- Each step and the one behind it, which may be of the next update.
CREATE OR REPLACE PERFETTO TABLE {{prefix}}_flow_event AS
SELECT
  trace_id,
  id,
  ts,
  dur,
  track_id,
  {{id_field}},
  avg_vsync_interval,
  update_id AS {{prefix}}_slice_id,
  update_ts AS {{prefix}}_ts,
  update_dur AS {{prefix}}_dur,
  update_track_id AS {{prefix}}_track_id,
  jank,
  step_name AS step,
  task_id AS ancestor_id,
  task_ts AS ancestor_ts,
  task_dur AS ancestor_dur,
  task_ts + task_dur AS ancestor_end,
  lead(id) OVER steps AS next_id,
  lead(ts) OVER steps AS next_ts,
  lead(dur) OVER steps AS next_dur,
  lead(track_id) OVER steps AS next_track_id,
  lead(trace_id) OVER steps AS next_trace_id,
  lead(step_name) OVER steps AS next_step,
  iif(lead(trace_id) OVER steps = trace_id, lead(task_ts) OVER steps, NULL) AS maybe_next_ancestor_ts
FROM _{{prefix}}_named_step
WINDOW steps AS (ORDER BY {{id_field}}, trace_id, ts)
ORDER BY {{id_field}}, trace_id, ts;
