-- Long tasks that delayed scrolls, `duration_causing_jank_ms` or longer, once Chrome's trace is complete.
SELECT run_metric('chrome/chrome_reliable_range.sql');

CREATE OR REPLACE PERFETTO VIEW chrome_reliable_slice AS
SELECT * FROM slice WHERE ts + dur >= (SELECT start FROM chrome_reliable_range);

SELECT run_metric(
  'chrome/chrome_tasks_delaying_input_processing_template.sql',
  'duration_causing_jank_ms', '{{duration_causing_jank_ms}}',
  'slice_table_name', 'chrome_reliable_slice');
