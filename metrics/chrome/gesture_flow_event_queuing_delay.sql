-- How long updates of gestures wait between their steps. A template: `prefix` and `id_field` are those of gesture_jank.sql.
SELECT run_metric('chrome/{{prefix}}_flow_event.sql');

-- A wait is the time from the end of a step's task to the start of the next one's.
CREATE OR REPLACE PERFETTO VIEW {{prefix}}_flow_event_queuing_delay AS
SELECT
  trace_id,
  id,
  ts,
  dur,
  track_id,
  {{id_field}},
  avg_vsync_interval,
  {{prefix}}_slice_id,
  {{prefix}}_ts,
  {{prefix}}_dur,
  {{prefix}}_track_id,
  jank,
  step,
  ancestor_id,
  ancestor_ts,
  ancestor_end,
  next_id,
  next_step,
  maybe_next_ancestor_ts,
  next_track_id,
  iif(
    trace_id = next_trace_id,
    'InputLatency.LatencyInfo.Flow.QueuingDelay.' || iif(jank, 'Jank.', 'NoJank.')
      || step || '-to-' || next_step,
    step) AS description,
  max(maybe_next_ancestor_ts - ancestor_end, 0) AS queuing_time_ns
FROM {{prefix}}_flow_event;
