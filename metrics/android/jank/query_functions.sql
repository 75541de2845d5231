-- What of a thread's slices fell into which frame: SELECT the first function with a name of
-- android_jank_cuj_table_set and a table or view of the slices in question, then read
-- jank_query_slice_in_frame_agg. The second takes another prefix than jank_query.
CREATE OR REPLACE PERFETTO FUNCTION android_jank_correlate_frame_slice_impl(
  table_set STRING, relevant_slice_table_name STRING, table_name_prefix STRING)
RETURNS STRING AS
SELECT coalesce(
  run_metric('android/jank/internal/query_frame_slice.sql', 'table_name_prefix', $table_name_prefix,
    'relevant_slice_table_name', $relevant_slice_table_name,
    'slice_table_name', android_jank_cuj_table_set_slice($table_set),
    'frame_boundary_table_name', android_jank_cuj_table_set_frame_boundary($table_set),
    'frame_table_name', android_jank_cuj_table_set_frame($table_set)),
  'Rows are in `' || $table_name_prefix || '_slice_in_frame_agg` and `' || $table_name_prefix
    || '_slice_in_frame`.');

CREATE OR REPLACE PERFETTO FUNCTION android_jank_correlate_frame_slice(
  table_set STRING, relevant_slice_table_name STRING)
RETURNS STRING AS
SELECT android_jank_correlate_frame_slice_impl($table_set, $relevant_slice_table_name, 'jank_query');
