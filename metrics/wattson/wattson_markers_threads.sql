-- Energy of threads: the time between Wattson's markers.
SELECT run_metric(
  'wattson/threads.sql', 'metric', 'wattson_markers_threads', 'window', 'wattson_window_markers');
