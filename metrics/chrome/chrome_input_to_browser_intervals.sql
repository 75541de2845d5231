-- chrome_input_to_browser_intervals, of all slices.
SELECT run_metric('chrome/chrome_input_to_browser_intervals_template.sql', 'slice_table_name', 'slice');
