-- chrome_tasks_delaying_input_processing of the tasks that Chrome recorded as long, of 4 ms or more.
SELECT run_metric('chrome/chrome_long_tasks.sql');
SELECT run_metric('chrome/chrome_input_to_browser_intervals.sql');

-- What held an update back is told by the task that it is handled in.
CREATE OR REPLACE PERFETTO TABLE chrome_input_to_browser_intervals_long_tasks AS
SELECT
  i.window_start_ts, i.window_start_id, i.window_end_ts, i.window_end_id, i.blocked_gesture, i.upid,
  CASE
    WHEN NOT i.blocked_gesture THEN 'regular'
    WHEN t.interface_name = 'viz.mojom.BeginFrameObserver' THEN 'fling'
    WHEN t.interface_name = 'blink.mojom.WidgetInputHandler' THEN 'blocking_touch_move'
    ELSE 'unknown'
  END AS scroll_type
FROM chrome_input_to_browser_intervals AS i
LEFT JOIN (
  SELECT m.interface_name, s.ts, s.dur, thread.upid
  FROM chrome_select_long_task_slices('InterestingTask_ProcessingTime') AS m
  JOIN slice AS s ON s.id = m.id
  JOIN thread_track AS track ON track.id = s.track_id
  JOIN thread USING (utid)
) AS t ON t.upid = i.upid AND i.window_end_ts > t.ts AND i.window_end_ts <= t.ts + t.dur;

SELECT run_metric(
  'chrome/chrome_tasks_delaying_input_processing_base.sql',
  'duration_causing_jank_ms', '4',
  'task_table_name', 'chrome_long_tasks',
  'input_browser_interval_table_name', 'chrome_input_to_browser_intervals_long_tasks');
