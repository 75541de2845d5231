-- Estimated power of all parts of the device at each time, in mW.

INCLUDE PERFETTO MODULE intervals.intersect;
INCLUDE PERFETTO MODULE wattson.cpu.estimates;
INCLUDE PERFETTO MODULE wattson.device_infos;
INCLUDE PERFETTO MODULE wattson.gpu.estimates;
INCLUDE PERFETTO MODULE wattson.tpu.estimates;
INCLUDE PERFETTO MODULE wattson.utils;

CREATE VIRTUAL TABLE _cpu_gpu_mw USING SPAN_OUTER_JOIN(_cpu_estimates_mw, _gpu_estimates_mw);
CREATE VIRTUAL TABLE _cpu_gpu_tpu_mw USING SPAN_OUTER_JOIN(_cpu_gpu_mw, _tpu_estimates_mw);

CREATE PERFETTO TABLE _system_state_mw AS
SELECT ts, dur, cpu0_mw, cpu1_mw, cpu2_mw, cpu3_mw, cpu4_mw, cpu5_mw, cpu6_mw, cpu7_mw, dsu_scu_mw,
  gpu_mw, tpu_mw
FROM _cpu_gpu_tpu_mw;

CREATE PERFETTO MACRO _policy_of_cpu(n Expr) RETURNS Expr AS (
  SELECT policy FROM _dev_cpu_policy_map WHERE cpu = $n
);

CREATE PERFETTO MACRO _mean_mw(part ColumnName) RETURNS Expr AS
CAST(sum(i.dur * s.$part) / nullif(sum(i.dur), 0) AS REAL);

-- The mean power of each part in each window (ts, dur, period_id).
CREATE PERFETTO MACRO _wattson_base_components_avg_mw(
  window_table TableOrSubquery
) RETURNS TableOrSubquery AS (
  SELECT _policy_of_cpu!(0) AS cpu0_poli, _policy_of_cpu!(1) AS cpu1_poli,
    _policy_of_cpu!(2) AS cpu2_poli, _policy_of_cpu!(3) AS cpu3_poli,
    _policy_of_cpu!(4) AS cpu4_poli, _policy_of_cpu!(5) AS cpu5_poli,
    _policy_of_cpu!(6) AS cpu6_poli, _policy_of_cpu!(7) AS cpu7_poli,
    _mean_mw!(cpu0_mw) AS cpu0_mw, _mean_mw!(cpu1_mw) AS cpu1_mw,
    _mean_mw!(cpu2_mw) AS cpu2_mw, _mean_mw!(cpu3_mw) AS cpu3_mw,
    _mean_mw!(cpu4_mw) AS cpu4_mw, _mean_mw!(cpu5_mw) AS cpu5_mw,
    _mean_mw!(cpu6_mw) AS cpu6_mw, _mean_mw!(cpu7_mw) AS cpu7_mw,
    _mean_mw!(dsu_scu_mw) AS dsu_scu_mw, _mean_mw!(gpu_mw) AS gpu_mw,
    _mean_mw!(tpu_mw) AS tpu_mw,
    sum(i.dur) AS period_dur, i.id_0 AS period_id
  FROM _interval_intersect!(
    ((SELECT period_id AS id, * FROM $window_table), _ii_subquery!(_system_state_mw)), ()) AS i
  JOIN _system_state_mw AS s ON s._auto_id = i.id_1
  GROUP BY period_id
);
