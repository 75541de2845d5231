-- Power of CPUs: the time between Wattson's markers.
SELECT run_metric(
  'wattson/rails.sql', 'metric', 'wattson_markers_rails', 'window', 'wattson_window_markers');
