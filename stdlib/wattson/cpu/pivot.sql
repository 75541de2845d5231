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

-- Each CPU of each configuration with what its power depends on besides.
CREATE PERFETTO TABLE _depending_cpus AS
SELECT c.config, c.cpu, c.policy, c.freq, c.idle, c.curve, c.static, c.suspended,
  iif(dsu.cpu IS NULL, coalesce(d.policy, v.dep_policy), _dsu_dep!()) AS dep_policy,
  iif(dsu.cpu IS NULL, coalesce(d.freq, v.dep_freq), c.dsu_freq) AS dep_freq
FROM _configured_cpus AS c
LEFT JOIN _cpu_w_dsu_dependency AS dsu ON dsu.cpu = c.cpu
LEFT JOIN _configured_dependencies AS d ON d.config = c.config AND d.cpu = c.cpu
LEFT JOIN _cpu_w_dependency_default_vote AS v ON v.cpu = c.cpu;

-- The parts of the time in which nothing changes, with the states of all CPUs.
CREATE PERFETTO VIEW _configured_stats AS
SELECT c.config, c.ts, c.dur, c.l3_hit_count, c.l3_miss_count,
  k0.freq AS freq_0, k0.idle AS idle_0, k1.freq AS freq_1, k1.idle AS idle_1, k2.freq AS freq_2,
  k2.idle AS idle_2, k3.freq AS freq_3, k3.idle AS idle_3, k4.freq AS freq_4, k4.idle AS idle_4,
  k5.freq AS freq_5, k5.idle AS idle_5, k6.freq AS freq_6, k6.idle AS idle_6, k7.freq AS freq_7,
  k7.idle AS idle_7, k0.curve AS cpu0_curve, k1.curve AS cpu1_curve, k2.curve AS cpu2_curve,
  k3.curve AS cpu3_curve, k4.curve AS cpu4_curve, k5.curve AS cpu5_curve, k6.curve AS cpu6_curve,
  k7.curve AS cpu7_curve, iif(0 IN _device_policies, k0.static, 0) AS cpu0_static,
  iif(1 IN _device_policies, k1.static, 0) AS cpu1_static,
  iif(2 IN _device_policies, k2.static, 0) AS cpu2_static,
  iif(3 IN _device_policies, k3.static, 0) AS cpu3_static,
  iif(4 IN _device_policies, k4.static, 0) AS cpu4_static,
  iif(5 IN _device_policies, k5.static, 0) AS cpu5_static,
  iif(6 IN _device_policies, k6.static, 0) AS cpu6_static,
  iif(7 IN _device_policies, k7.static, 0) AS cpu7_static, c.suspended, c.dsu_freq,
  _bitmask8!(k0.idle <> d.idle, k1.idle <> d.idle, k2.idle <> d.idle, k3.idle <> d.idle,
    k4.idle <> d.idle, k5.idle <> d.idle, k6.idle <> d.idle, k7.idle <> d.idle) AS cpus_on_mask
FROM _cpu_configurations AS c
JOIN _deepest_idle AS d
JOIN _cpu_kinds AS k0 ON k0.kind = c.kind_0
JOIN _cpu_kinds AS k1 ON k1.kind = c.kind_1
JOIN _cpu_kinds AS k2 ON k2.kind = c.kind_2
JOIN _cpu_kinds AS k3 ON k3.kind = c.kind_3
JOIN _cpu_kinds AS k4 ON k4.kind = c.kind_4
JOIN _cpu_kinds AS k5 ON k5.kind = c.kind_5
JOIN _cpu_kinds AS k6 ON k6.kind = c.kind_6
JOIN _cpu_kinds AS k7 ON k7.kind = c.kind_7;

CREATE PERFETTO VIEW _all_stats AS
SELECT
  ts, dur, l3_hit_count, l3_miss_count, freq_0, idle_0, freq_1, idle_1, freq_2, idle_2, freq_3,
  idle_3, freq_4, idle_4, freq_5, idle_5, freq_6, idle_6, freq_7, idle_7, cpu0_curve, cpu1_curve,
  cpu2_curve, cpu3_curve, cpu4_curve, cpu5_curve, cpu6_curve, cpu7_curve, cpu0_static,
  cpu1_static, cpu2_static, cpu3_static, cpu4_static, cpu5_static, cpu6_static, cpu7_static,
  suspended, dsu_freq, cpus_on_mask
FROM _configured_stats;

-- What is taken of policies of which a CPU is awake does not depend on other policies.
CREATE PERFETTO VIEW _hashed_configurations AS
SELECT
  config, ts, dur, l3_hit_count, l3_miss_count,
  hash(freq_0, idle_0, freq_1, idle_1, freq_2, idle_2, freq_3, idle_3,
    freq_4, idle_4, freq_5, idle_5, freq_6, idle_6, freq_7, idle_7, dsu_freq, suspended)
    AS config_hash,
  freq_0, idle_0, freq_1, idle_1, freq_2, idle_2, freq_3, idle_3, freq_4, idle_4, freq_5, idle_5,
  freq_6, idle_6, freq_7, idle_7, cpu0_curve, cpu1_curve, cpu2_curve, cpu3_curve, cpu4_curve,
  cpu5_curve, cpu6_curve, cpu7_curve, suspended, dsu_freq,
  _bitmask8!(cpus_on_mask & m0, cpus_on_mask & m1, cpus_on_mask & m2, cpus_on_mask & m3,
    cpus_on_mask & m4, cpus_on_mask & m5, cpus_on_mask & m6, cpus_on_mask & m7)
    AS policy_cpus_on_mask,
  iif(cpus_on_mask & m0, cpu0_static, 0)
    + iif(cpus_on_mask & m1, cpu1_static, 0)
    + iif(cpus_on_mask & m2, cpu2_static, 0)
    + iif(cpus_on_mask & m3, cpu3_static, 0)
    + iif(cpus_on_mask & m4, cpu4_static, 0)
    + iif(cpus_on_mask & m5, cpu5_static, 0)
    + iif(cpus_on_mask & m6, cpu6_static, 0)
    + iif(cpus_on_mask & m7, cpu7_static, 0) AS static_1d
FROM _configured_stats
JOIN _policy_masks;

CREATE PERFETTO VIEW _w_independent_cpus_calc AS
SELECT
  ts, dur, l3_hit_count, l3_miss_count, config_hash, freq_0, idle_0, freq_1, idle_1, freq_2,
  idle_2, freq_3, idle_3, freq_4, idle_4, freq_5, idle_5, freq_6, idle_6, freq_7, idle_7,
  cpu0_curve, cpu1_curve, cpu2_curve, cpu3_curve, cpu4_curve, cpu5_curve, cpu6_curve, cpu7_curve,
  suspended, dsu_freq, policy_cpus_on_mask, static_1d
FROM _hashed_configurations;

-- Each configuration once, with what the power of its CPUs depends on.
CREATE PERFETTO VIEW _w_dependent_cpus_unique AS
WITH _hashed AS MATERIALIZED (SELECT * FROM _hashed_configurations GROUP BY config_hash)
SELECT
  config_hash, _hashed.freq_0, _hashed.idle_0, _hashed.freq_1, _hashed.idle_1, _hashed.freq_2,
  _hashed.idle_2, _hashed.freq_3, _hashed.idle_3, _hashed.freq_4, _hashed.idle_4,
  _hashed.freq_5, _hashed.idle_5, _hashed.freq_6, _hashed.idle_6, _hashed.freq_7, _hashed.idle_7,
  cpu0_curve, cpu1_curve, cpu2_curve, cpu3_curve,
  cpu4_curve, cpu5_curve, cpu6_curve, cpu7_curve, _hashed.dsu_freq, static_1d, policy_cpus_on_mask,
  _hashed.suspended, max(d.dep_freq) FILTER (WHERE d.cpu = 0) AS dep_freq_0,
  max(d.dep_policy) FILTER (WHERE d.cpu = 0) AS dep_policy_0,
  max(d.dep_freq) FILTER (WHERE d.cpu = 1) AS dep_freq_1,
  max(d.dep_policy) FILTER (WHERE d.cpu = 1) AS dep_policy_1,
  max(d.dep_freq) FILTER (WHERE d.cpu = 2) AS dep_freq_2,
  max(d.dep_policy) FILTER (WHERE d.cpu = 2) AS dep_policy_2,
  max(d.dep_freq) FILTER (WHERE d.cpu = 3) AS dep_freq_3,
  max(d.dep_policy) FILTER (WHERE d.cpu = 3) AS dep_policy_3,
  max(d.dep_freq) FILTER (WHERE d.cpu = 4) AS dep_freq_4,
  max(d.dep_policy) FILTER (WHERE d.cpu = 4) AS dep_policy_4,
  max(d.dep_freq) FILTER (WHERE d.cpu = 5) AS dep_freq_5,
  max(d.dep_policy) FILTER (WHERE d.cpu = 5) AS dep_policy_5,
  max(d.dep_freq) FILTER (WHERE d.cpu = 6) AS dep_freq_6,
  max(d.dep_policy) FILTER (WHERE d.cpu = 6) AS dep_policy_6,
  max(d.dep_freq) FILTER (WHERE d.cpu = 7) AS dep_freq_7,
  max(d.dep_policy) FILTER (WHERE d.cpu = 7) AS dep_policy_7
FROM _hashed
LEFT JOIN (SELECT config, cpu, dep_freq, dep_policy FROM _depending_cpus) AS d USING (config)
GROUP BY config_hash;
