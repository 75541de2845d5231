-- Energy of threads: all of the trace.
SELECT run_metric(
  'wattson/threads.sql', 'metric', 'wattson_trace_threads', 'window', 'wattson_window_trace');
