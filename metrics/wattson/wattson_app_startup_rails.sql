-- Power of CPUs: starts of apps.
SELECT run_metric(
  'wattson/rails.sql', 'metric', 'wattson_app_startup_rails', 'window', 'wattson_window_app_startup');
