-- The energy of each thread in the periods of a table, {{window}}(ts, dur, period_id), those that draw
-- most first, as the view {{metric}}_output.
INCLUDE PERFETTO MODULE wattson.aggregation;
INCLUDE PERFETTO MODULE wattson.windows;

CREATE OR REPLACE PERFETTO TABLE _wattson_thread AS
SELECT *
FROM wattson_threads_aggregation!((SELECT ts, dur, period_id FROM {{window}}))
ORDER BY estimated_mw DESC;

CREATE OR REPLACE PERFETTO VIEW {{metric}}_output AS
SELECT AndroidWattsonTasksAttributionMetric(
  'metric_version', m.metric_version,
  'power_model_version', m.power_model_version,
  'is_crude_estimate', m.is_crude_estimate,
  'period_info', (
    SELECT RepeatedField(AndroidWattsonTaskPeriodInfo('period_id', period_id, 'task_info', tasks))
    FROM (
      SELECT period_id, RepeatedField(AndroidWattsonTaskInfo(
        'estimated_mws', round(estimated_mws, 6),
        'estimated_mw', round(estimated_mw, 6),
        'idle_transitions_mws', round(idle_transitions_mws, 6),
        'total_mws', round(total_mws, 6),
        'thread_name', thread_name,
        'process_name', process_name,
        'thread_id', tid,
        'process_id', pid)) AS tasks
      FROM _wattson_thread
      GROUP BY period_id
    )
  )
) AS message
FROM wattson_metric_metadata AS m;
