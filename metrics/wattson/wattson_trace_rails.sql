-- Power of CPUs: all of the trace.
SELECT run_metric(
  'wattson/rails.sql', 'metric', 'wattson_trace_rails', 'window', 'wattson_window_trace');
