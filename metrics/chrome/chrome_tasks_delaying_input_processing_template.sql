-- chrome_tasks_delaying_input_processing of all tasks. A template: `duration_causing_jank_ms` is how long a task must be,
-- `slice_table_name` where updates of scrolls are looked for.
SELECT run_metric(
  'chrome/chrome_input_to_browser_intervals_template.sql',
  'slice_table_name', '{{slice_table_name}}');

SELECT run_metric(
  'chrome/chrome_tasks_delaying_input_processing_base.sql',
  'duration_causing_jank_ms', '{{duration_causing_jank_ms}}',
  'task_table_name', 'chrome_tasks',
  'input_browser_interval_table_name', 'chrome_input_to_browser_intervals');
