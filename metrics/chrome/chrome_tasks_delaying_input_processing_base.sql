-- chrome_tasks_delaying_input_processing: long tasks of the browser's main thread that ended while updates of scrolls
-- waited for it. A template: `duration_causing_jank_ms` is how long a task must be, `task_table_name` and
-- `input_browser_interval_table_name` are where tasks and waits are looked for.
CREATE OR REPLACE PERFETTO TABLE chrome_tasks_delaying_input_processing_unaggregated AS
SELECT
  t.full_name,
  t.dur / 1e6 AS duration_ms,
  t.id AS slice_id,
  t.thread_dur / 1e6 AS thread_dur_ms,
  i.window_start_id,
  i.window_end_id
FROM {{task_table_name}} AS t
JOIN {{input_browser_interval_table_name}} AS i
  ON t.ts + t.dur > i.window_start_ts AND t.ts + t.dur < i.window_end_ts AND t.upid = i.upid
WHERE t.thread_name = 'CrBrowserMain' AND t.dur >= {{duration_causing_jank_ms}} * 1e6;

-- A task may delay several updates.
CREATE OR REPLACE PERFETTO VIEW chrome_tasks_delaying_input_processing AS
SELECT full_name, duration_ms, slice_id, thread_dur_ms
FROM chrome_tasks_delaying_input_processing_unaggregated
GROUP BY slice_id;

CREATE OR REPLACE PERFETTO VIEW chrome_tasks_delaying_input_processing_summary AS
SELECT
  full_name,
  avg(duration_ms) AS avg_duration_ms,
  avg(thread_dur_ms) AS avg_thread_duration_ms,
  min(duration_ms) AS min_task_duration,
  max(duration_ms) AS max_task_duration,
  sum(duration_ms) AS total_duration_ms,
  sum(thread_dur_ms) AS total_thread_duration_ms,
  group_concat(slice_id, '-') AS slice_ids,
  count(*) AS count
FROM chrome_tasks_delaying_input_processing
GROUP BY full_name;
