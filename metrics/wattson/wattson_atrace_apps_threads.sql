-- Energy of threads: slices of traced apps.
SELECT run_metric(
  'wattson/threads.sql', 'metric', 'wattson_atrace_apps_threads', 'window', 'wattson_window_atrace_apps');
