-- Long tasks that delayed scrolls, `duration_causing_jank_ms` or longer.
SELECT run_metric(
  'chrome/chrome_tasks_delaying_input_processing_template.sql',
  'duration_causing_jank_ms', '{{duration_causing_jank_ms}}',
  'slice_table_name', 'slice');
