-- chrome_long_tasks: tasks that took long, which Chrome records by themselves, beside what they did, and Android's frames
-- of 4 ms or more.
INCLUDE PERFETTO MODULE chrome.scroll_jank.utils;
INCLUDE PERFETTO MODULE chrome.tasks;

CREATE OR REPLACE PERFETTO TABLE _chrome_long_task AS
SELECT
  id, ts, dur, message IS NOT NULL AS is_mojo, posted_from,
  coalesce(message, 'RunTask(posted_from=' || coalesce(posted_from, '') || ')') AS name
FROM (
  SELECT
    s.id, s.ts, s.dur,
    m.interface_name || ' ' || m.message_type || ' (hash=' || coalesce(m.ipc_hash, 0) || ')' AS message,
    extract_arg(s.arg_set_id, 'task.posted_from.file_name') || ':'
      || extract_arg(s.arg_set_id, 'task.posted_from.function_name') AS posted_from
  FROM chrome_select_long_task_slices('LongTaskTracker') AS m
  JOIN slice AS s ON s.id = m.id
);

-- Frames with the views that took part. Those of Chrome's own are on other tracks than its long tasks.
CREATE OR REPLACE PERFETTO TABLE _chrome_long_frame AS
SELECT
  frame.id, frame.kind,
  frame.kind || '(java_views=' || coalesce(group_concat(DISTINCT v.filtered_name), '') || ')' AS name
FROM (
  SELECT id, ts, dur, 'SingleThreadProxy::BeginMainFrame' AS kind
  FROM _chrome_long_task
  WHERE posted_from = 'cc/trees/single_thread_proxy.cc:ScheduledActionSendBeginMainFrame'
  UNION ALL
  SELECT id, ts, dur, 'Choreographer'
  FROM slice
  WHERE name GLOB 'Looper.dispatch: android.view.Choreographer$FrameHandler*' AND dur >= 4000000
) AS frame
LEFT JOIN (
  SELECT view.filtered_name, s.ts, s.dur
  FROM chrome_java_views AS view
  JOIN slice AS s ON s.id = view.slice_id
) AS v ON v.ts > frame.ts AND v.ts + v.dur < frame.ts + frame.dur
GROUP BY frame.id;

CREATE OR REPLACE PERFETTO VIEW chrome_long_tasks AS
SELECT
  task.full_name, task.task_type, thread.name AS thread_name, thread.utid,
  process.name AS process_name, thread.upid, s.*
FROM (
  SELECT
    t.id, coalesce(n.name, f.name, t.name) AS full_name,
    CASE
      WHEN n.name IS NOT NULL THEN 'navigation_task'
      WHEN f.name IS NOT NULL THEN 'ui_thread_begin_main_frame'
      WHEN t.is_mojo THEN 'mojo'
      ELSE 'scheduler'
    END AS task_type
  FROM _chrome_long_task AS t
  LEFT JOIN (SELECT id, _chrome_navigation_name(id, name) AS name FROM _chrome_long_task) AS n
    ON n.id = t.id
  LEFT JOIN _chrome_long_frame AS f ON f.id = t.id
  UNION ALL
  SELECT id, name, 'choreographer' FROM _chrome_long_frame WHERE kind = 'Choreographer'
) AS task
JOIN slice AS s ON s.id = task.id
JOIN thread_track AS track ON track.id = s.track_id
JOIN thread USING (utid)
JOIN process ON process.upid = thread.upid;
