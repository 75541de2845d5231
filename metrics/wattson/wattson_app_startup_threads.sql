-- Energy of threads: starts of apps.
SELECT run_metric(
  'wattson/threads.sql', 'metric', 'wattson_app_startup_threads', 'window', 'wattson_window_app_startup');
