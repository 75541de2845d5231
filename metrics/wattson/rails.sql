-- The power of CPUs in the periods of a table, {{window}}(ts, dur, period_id), as the view
-- {{metric}}_output. The power curves of devices are not part of the program: each CPU counts as one
-- that has none, which draws nothing.
INCLUDE PERFETTO MODULE wattson.aggregation;
INCLUDE PERFETTO MODULE wattson.windows;

CREATE OR REPLACE PERFETTO VIEW {{metric}}_output AS
SELECT AndroidWattsonTimePeriodMetric(
  'metric_version', m.metric_version,
  'power_model_version', m.power_model_version,
  'is_crude_estimate', m.is_crude_estimate,
  'period_info', (
    SELECT RepeatedField(AndroidWattsonEstimateInfo(
      'period_id', period_id,
      'period_dur', dur,
      'cpu_subsystem', AndroidWattsonCpuSubsystemEstimate(
        'estimated_mw', 0.0,
        'estimated_mws', 0.0,
        'dsu_scu', AndroidWattsonDsuScuEstimate('estimated_mw', 0.0, 'estimated_mws', 0.0))))
    FROM {{window}}
  )
) AS message
FROM wattson_metric_metadata AS m;
