-- The power of all parts of the device in the periods of a table, {{window}}(ts, dur, period_id), as the
-- view {{metric}}_output. A device without power curves draws nothing.
INCLUDE PERFETTO MODULE wattson.aggregation;
INCLUDE PERFETTO MODULE wattson.windows;

CREATE OR REPLACE PERFETTO TABLE _wattson_period AS
SELECT * FROM _wattson_base_components_avg_mw!({{window}});

-- A row for each period and policy.
CREATE OR REPLACE PERFETTO TABLE _wattson_policy AS
SELECT period_id, policy, sum(mw) AS mw,
  max(mw) FILTER (WHERE cpu = 0) AS cpu0_mw,
  max(mw) FILTER (WHERE cpu = 1) AS cpu1_mw,
  max(mw) FILTER (WHERE cpu = 2) AS cpu2_mw,
  max(mw) FILTER (WHERE cpu = 3) AS cpu3_mw,
  max(mw) FILTER (WHERE cpu = 4) AS cpu4_mw,
  max(mw) FILTER (WHERE cpu = 5) AS cpu5_mw,
  max(mw) FILTER (WHERE cpu = 6) AS cpu6_mw,
  max(mw) FILTER (WHERE cpu = 7) AS cpu7_mw
FROM (
  SELECT period_id, 0 AS cpu, cpu0_poli AS policy, cpu0_mw AS mw FROM _wattson_period
  UNION ALL
  SELECT period_id, 1, cpu1_poli, cpu1_mw FROM _wattson_period
  UNION ALL
  SELECT period_id, 2, cpu2_poli, cpu2_mw FROM _wattson_period
  UNION ALL
  SELECT period_id, 3, cpu3_poli, cpu3_mw FROM _wattson_period
  UNION ALL
  SELECT period_id, 4, cpu4_poli, cpu4_mw FROM _wattson_period
  UNION ALL
  SELECT period_id, 5, cpu5_poli, cpu5_mw FROM _wattson_period
  UNION ALL
  SELECT period_id, 6, cpu6_poli, cpu6_mw FROM _wattson_period
  UNION ALL
  SELECT period_id, 7, cpu7_poli, cpu7_mw FROM _wattson_period
)
WHERE policy IS NOT NULL AND mw IS NOT NULL
GROUP BY period_id, policy;

-- A part's message: its mean power (mW) and its energy (mWs). A CPU that draws nothing has none.
CREATE OR REPLACE PERFETTO MACRO _wattson_part(message ColumnName, mw Expr) RETURNS Expr AS
$message('estimated_mw', $mw, 'estimated_mws', $mw * period_dur / 1e9);

CREATE OR REPLACE PERFETTO MACRO _wattson_cpu(mw ColumnName) RETURNS Expr AS
iif(p.$mw <> 0, _wattson_part!(AndroidWattsonCpuEstimate, p.$mw), NULL);

CREATE OR REPLACE PERFETTO MACRO _wattson_policy_message(number Expr) RETURNS Expr AS (
  SELECT AndroidWattsonPolicyEstimate(
    'estimated_mw', CAST(mw AS REAL), 'estimated_mws', mw * period_dur / 1e9,
    'cpu0', _wattson_cpu!(cpu0_mw),
    'cpu1', _wattson_cpu!(cpu1_mw),
    'cpu2', _wattson_cpu!(cpu2_mw),
    'cpu3', _wattson_cpu!(cpu3_mw),
    'cpu4', _wattson_cpu!(cpu4_mw),
    'cpu5', _wattson_cpu!(cpu5_mw),
    'cpu6', _wattson_cpu!(cpu6_mw),
    'cpu7', _wattson_cpu!(cpu7_mw))
  FROM _wattson_policy AS p
  WHERE p.period_id = t.period_id AND p.policy = $number
);

CREATE OR REPLACE PERFETTO TABLE _wattson_period_total AS
SELECT t.period_id, t.period_dur, t.dsu_scu_mw, t.gpu_mw, t.tpu_mw,
  t.dsu_scu_mw + coalesce((
    SELECT sum(mw) FROM _wattson_policy AS p WHERE p.period_id = t.period_id), 0) AS cpu_mw
FROM _wattson_period AS t
UNION ALL
SELECT period_id, dur, 0.0, NULL, NULL, 0.0
FROM {{window}}
WHERE NOT EXISTS (SELECT 1 FROM _wattson_device);

CREATE OR REPLACE PERFETTO VIEW {{metric}}_output AS
SELECT AndroidWattsonTimePeriodMetric(
  'metric_version', m.metric_version,
  'power_model_version', m.power_model_version,
  'is_crude_estimate', m.is_crude_estimate,
  'period_info', (
    SELECT RepeatedField(AndroidWattsonEstimateInfo(
      'period_id', period_id,
      'period_dur', period_dur,
      'cpu_subsystem', AndroidWattsonCpuSubsystemEstimate(
        'estimated_mw', cpu_mw,
        'estimated_mws', cpu_mw * period_dur / 1e9,
        'policy0', _wattson_policy_message!(0),
        'policy1', _wattson_policy_message!(1),
        'policy2', _wattson_policy_message!(2),
        'policy3', _wattson_policy_message!(3),
        'policy4', _wattson_policy_message!(4),
        'policy5', _wattson_policy_message!(5),
        'policy6', _wattson_policy_message!(6),
        'policy7', _wattson_policy_message!(7),
        'dsu_scu', _wattson_part!(AndroidWattsonDsuScuEstimate, dsu_scu_mw)),
      'gpu_subsystem',
        iif(gpu_mw IS NULL, NULL, _wattson_part!(AndroidWattsonGpuSubsystemEstimate, gpu_mw)),
      'tpu_subsystem',
        iif(tpu_mw IS NULL, NULL, _wattson_part!(AndroidWattsonTpuSubsystemEstimate, tpu_mw))))
    FROM _wattson_period_total AS t
  )
) AS message
FROM wattson_metric_metadata AS m;
