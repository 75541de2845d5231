-- The state of all CPUs at each time, and what the power of each depends on.

INCLUDE PERFETTO MODULE intervals.intersect;
INCLUDE PERFETTO MODULE wattson.cpu.arm_dsu;
INCLUDE PERFETTO MODULE wattson.cpu.freq_idle;
INCLUDE PERFETTO MODULE wattson.cpu.hotplug;
INCLUDE PERFETTO MODULE wattson.curves.utils;
INCLUDE PERFETTO MODULE wattson.device_infos;
INCLUDE PERFETTO MODULE wattson.utils;

-- States of CPUs. Those that the device does not have sleep for all of the time and take nothing.
-- Equal states of a CPU have one number, `kind`.
CREATE PERFETTO TABLE _cpu_states AS
SELECT *, dense_rank() OVER (ORDER BY cpu, freq, idle, curve, static) AS kind
FROM (
  SELECT s.ts, s.dur, s.cpu, coalesce(s.freq, 0) AS freq, coalesce(s.idle, d.idle) AS idle,
    s.curve_value AS curve, coalesce(s.static, 0) AS static
  FROM _idle_freq_materialized AS s
  JOIN _deepest_idle AS d
  UNION ALL
  SELECT trace_start(), trace_dur(), column1, 0, d.idle, 0, 0
  FROM (VALUES (0), (1), (2), (3), (4), (5), (6), (7))
  JOIN _deepest_idle AS d
  JOIN _wattson_device
  WHERE column1 NOT IN (SELECT cpu FROM _dev_cpu_policy_map)
);

CREATE PERFETTO TABLE _cpu_kinds AS
SELECT kind, cpu, freq, idle, curve, static FROM _cpu_states GROUP BY kind;

CREATE PERFETTO INDEX _cpu_kinds_by_kind ON _cpu_kinds(kind);

CREATE PERFETTO MACRO _states_of_cpu(n Expr) RETURNS TableOrSubquery AS (
  SELECT _auto_id AS id, ts, dur FROM _cpu_states WHERE cpu = $n
);

CREATE PERFETTO TABLE _times_of_cpus AS
SELECT ts, dur, id_0, id_1, id_2, id_3, id_4, id_5, id_6, id_7
FROM _interval_intersect!((
  _states_of_cpu!(0), _states_of_cpu!(1), _states_of_cpu!(2), _states_of_cpu!(3),
  _states_of_cpu!(4), _states_of_cpu!(5), _states_of_cpu!(6), _states_of_cpu!(7)
), ());

CREATE PERFETTO MACRO _kind_of(id Expr) RETURNS Expr AS (
  SELECT kind FROM _cpu_states AS s WHERE s._auto_id = $id
);

-- The parts of the time in which nothing changes. Equal ones have one number, `config`.
CREATE PERFETTO TABLE _cpu_configurations AS
SELECT *,
  hash(kind_0, kind_1, kind_2, kind_3, kind_4, kind_5, kind_6, kind_7, dsu_freq, suspended) AS config
FROM (
  SELECT i.ts, i.dur, CAST(r.l3_hit_rate * i.dur AS INTEGER) AS l3_hit_count,
    CAST(r.l3_miss_rate * i.dur AS INTEGER) AS l3_miss_count, _kind_of!(c.id_0) AS kind_0,
    _kind_of!(c.id_1) AS kind_1, _kind_of!(c.id_2) AS kind_2, _kind_of!(c.id_3) AS kind_3,
    _kind_of!(c.id_4) AS kind_4, _kind_of!(c.id_5) AS kind_5, _kind_of!(c.id_6) AS kind_6,
    _kind_of!(c.id_7) AS kind_7, d.dsu_freq, s.suspended
  FROM _interval_intersect!((
    _ii_subquery!(_times_of_cpus), (SELECT _auto_id AS id, ts, dur FROM _wattson_dsu_frequency),
    _ii_subquery!(_arm_l3_rates), _ii_subquery!(_gapless_suspend_slices)
  ), ()) AS i
  JOIN _times_of_cpus AS c ON c._auto_id = i.id_0
  JOIN _wattson_dsu_frequency AS d ON d._auto_id = i.id_1
  JOIN _arm_l3_rates AS r ON r._auto_id = i.id_2
  JOIN _gapless_suspend_slices AS s ON s._auto_id = i.id_3
  WHERE i.dur > 0
);

CREATE PERFETTO TABLE _distinct_configurations AS
SELECT config, kind_0, kind_1, kind_2, kind_3, kind_4, kind_5, kind_6, kind_7, dsu_freq, suspended
FROM _cpu_configurations
GROUP BY config;

CREATE PERFETTO MACRO _configured_cpu(kind ColumnName) RETURNS TableOrSubquery AS (
  SELECT c.config, k.cpu, m.policy, k.freq, k.idle, k.curve, k.static, c.dsu_freq, c.suspended
  FROM _distinct_configurations AS c
  JOIN _cpu_kinds AS k ON k.kind = c.$kind
  LEFT JOIN _dev_cpu_policy_map AS m ON m.cpu = k.cpu
);

-- A row for each configuration and CPU.
CREATE PERFETTO TABLE _configured_cpus AS
SELECT * FROM _configured_cpu!(kind_0)
UNION ALL
SELECT * FROM _configured_cpu!(kind_1)
UNION ALL
SELECT * FROM _configured_cpu!(kind_2)
UNION ALL
SELECT * FROM _configured_cpu!(kind_3)
UNION ALL
SELECT * FROM _configured_cpu!(kind_4)
UNION ALL
SELECT * FROM _configured_cpu!(kind_5)
UNION ALL
SELECT * FROM _configured_cpu!(kind_6)
UNION ALL
SELECT * FROM _configured_cpu!(kind_7);

CREATE PERFETTO TABLE _configured_policies AS
SELECT config, policy, max(c.idle <> d.idle) AS is_on
FROM _configured_cpus AS c
JOIN _deepest_idle AS d
WHERE policy IS NOT NULL
GROUP BY config, policy;

-- Of the other CPUs that are awake the strongest decides.
CREATE PERFETTO TABLE _configured_dependencies AS
SELECT config, cpu, freq, policy
FROM (
  SELECT o.config, d.cpu, o.freq, o.policy, max(iif(v.vote_by_freq, o.freq, o.curve)) AS strength
  FROM _cpu_lut_dependencies AS d
  JOIN _configured_cpus AS o ON o.cpu = d.dep_cpu AND o.idle = -1
  JOIN _dev_vote_by_freq AS v ON v.cpu = d.cpu
  GROUP BY o.config, d.cpu
);

CREATE PERFETTO INDEX _configured_dependencies_by_cpu ON _configured_dependencies(config, cpu);

-- The same states a CPU each, with columns of its number.
CREATE PERFETTO MACRO _cpu_stats_subquery(
  cpu Expr, curve_col ColumnName, static_col ColumnName, freq_col ColumnName, idle_col ColumnName
) RETURNS TableOrSubquery AS (
  SELECT ts, dur, curve AS $curve_col, iif($cpu IN _device_policies, static, 0) AS $static_col,
    freq AS $freq_col, idle AS $idle_col
  FROM _cpu_states
  WHERE cpu = $cpu
  UNION ALL
  SELECT trace_start(), trace_dur(), 0, 0, 0, idle
  FROM _deepest_idle
  WHERE NOT EXISTS (SELECT 1 FROM _wattson_device)
);

CREATE PERFETTO VIEW _stats_cpu0 AS
SELECT * FROM _cpu_stats_subquery!(0, cpu0_curve, cpu0_static, freq_0, idle_0);

CREATE PERFETTO VIEW _stats_cpu1 AS
SELECT * FROM _cpu_stats_subquery!(1, cpu1_curve, cpu1_static, freq_1, idle_1);

CREATE PERFETTO VIEW _stats_cpu2 AS
SELECT * FROM _cpu_stats_subquery!(2, cpu2_curve, cpu2_static, freq_2, idle_2);

CREATE PERFETTO VIEW _stats_cpu3 AS
SELECT * FROM _cpu_stats_subquery!(3, cpu3_curve, cpu3_static, freq_3, idle_3);

CREATE PERFETTO VIEW _stats_cpu4 AS
SELECT * FROM _cpu_stats_subquery!(4, cpu4_curve, cpu4_static, freq_4, idle_4);

CREATE PERFETTO VIEW _stats_cpu5 AS
SELECT * FROM _cpu_stats_subquery!(5, cpu5_curve, cpu5_static, freq_5, idle_5);

CREATE PERFETTO VIEW _stats_cpu6 AS
SELECT * FROM _cpu_stats_subquery!(6, cpu6_curve, cpu6_static, freq_6, idle_6);

CREATE PERFETTO VIEW _stats_cpu7 AS
SELECT * FROM _cpu_stats_subquery!(7, cpu7_curve, cpu7_static, freq_7, idle_7);
