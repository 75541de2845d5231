-- Power of CPUs: slices of traced apps.
SELECT run_metric(
  'wattson/rails.sql', 'metric', 'wattson_atrace_apps_rails', 'window', 'wattson_window_atrace_apps');
