-- chrome_scroll_jank_caused_by_scheduling: several tasks of the browser's main thread that together delayed an update of a
-- scroll by more than `dur_causes_jank_ms`, while none need be long. Java's own are no such tasks.
SELECT run_metric('chrome/chrome_input_to_browser_intervals.sql');

CREATE OR REPLACE PERFETTO TABLE chrome_task_barrages_per_interval AS
SELECT
  group_concat(DISTINCT full_name) AS full_name,
  sum(dur / 1e6) AS total_duration_ms,
  sum(thread_dur / 1e6) AS total_thread_duration_ms,
  min(id) AS first_id_per_task_barrage,
  max(id) AS last_id_per_task_barrage,
  count(*) AS count,
  window_start_id,
  window_start_ts,
  window_end_id,
  window_end_ts,
  scroll_type
FROM (
  SELECT t.full_name, t.dur, t.thread_dur, t.id, i.*
  FROM chrome_input_to_browser_intervals AS i
  JOIN chrome_tasks AS t
    ON t.upid = i.upid AND t.ts > i.window_start_ts AND t.ts < i.window_end_ts
    AND t.ts + t.dur > i.window_start_ts AND t.ts + t.dur < i.window_end_ts
  WHERE i.window_end_ts - i.window_start_ts >= {{dur_causes_jank_ms}} * 1e6
    AND t.thread_name = 'CrBrowserMain'
    AND t.task_type NOT IN ('java', 'choreographer')
  ORDER BY i.window_start_ts, i.window_end_ts, t.ts
)
GROUP BY window_start_ts, window_end_ts;

CREATE OR REPLACE PERFETTO VIEW chrome_scroll_jank_caused_by_scheduling AS
SELECT *
FROM chrome_task_barrages_per_interval
WHERE total_duration_ms > {{dur_causes_jank_ms}} AND count > 1
ORDER BY total_duration_ms DESC;
