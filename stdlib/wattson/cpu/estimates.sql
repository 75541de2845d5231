-- Estimated power of the CPUs and of what they share, in mW.

INCLUDE PERFETTO MODULE wattson.cpu.pivot;
INCLUDE PERFETTO MODULE wattson.curves.utils;
INCLUDE PERFETTO MODULE wattson.device_infos;
INCLUDE PERFETTO MODULE wattson.utils;

-- Each CPU of each configuration with what its power depends on besides.
CREATE PERFETTO TABLE _depending_cpus AS
SELECT c.config, c.cpu, c.policy, c.freq, c.idle, c.curve, c.static, c.suspended,
  iif(dsu.cpu IS NULL, coalesce(d.policy, v.dep_policy), _dsu_dep!()) AS dep_policy,
  iif(dsu.cpu IS NULL, coalesce(d.freq, v.dep_freq), c.dsu_freq) AS dep_freq
FROM _configured_cpus AS c
LEFT JOIN _cpu_w_dsu_dependency AS dsu ON dsu.cpu = c.cpu
LEFT JOIN _configured_dependencies AS d ON d.config = c.config AND d.cpu = c.cpu
LEFT JOIN _cpu_w_dependency_default_vote AS v ON v.cpu = c.cpu;

-- The power of a policy that does not depend on sleep is counted with its first CPU, while any of its
-- CPUs is not asleep.
CREATE PERFETTO TABLE _estimated_cpus AS
SELECT c.config, c.cpu, c.freq, c.dep_policy, c.dep_freq, c.suspended,
  coalesce(c.curve, l.curve_value) AS mw,
  iif(c.cpu = c.policy AND p.is_on, c.static + coalesce(l.static, 0), 0) AS static_mw
FROM _depending_cpus AS c
LEFT JOIN _configured_policies AS p ON p.config = c.config AND p.policy = c.policy
LEFT JOIN _filtered_curves_2d AS l ON l.freq_khz = c.freq AND l.dep_policy = c.dep_policy
  AND l.dep_freq = c.dep_freq AND l.idle = c.idle;

CREATE PERFETTO TABLE _estimated_configurations AS
SELECT e.config, max(mw) FILTER (WHERE cpu = 0) AS cpu0_mw, max(mw) FILTER (WHERE cpu = 1) AS cpu1_mw,
  max(mw) FILTER (WHERE cpu = 2) AS cpu2_mw, max(mw) FILTER (WHERE cpu = 3) AS cpu3_mw,
  max(mw) FILTER (WHERE cpu = 4) AS cpu4_mw, max(mw) FILTER (WHERE cpu = 5) AS cpu5_mw,
  max(mw) FILTER (WHERE cpu = 6) AS cpu6_mw, max(mw) FILTER (WHERE cpu = 7) AS cpu7_mw,
  sum(static_mw) + coalesce(max(i.curve_value), 0) AS shared_mw, max(l.l3_hit) AS l3_hit,
  max(l.l3_miss) AS l3_miss
FROM _estimated_cpus AS e
LEFT JOIN _filtered_curves_l3 AS l ON e.cpu = 0 AND l.freq_khz = e.freq
  AND l.dep_policy = e.dep_policy AND l.dep_freq = e.dep_freq
LEFT JOIN _filtered_curves_interconnect AS i ON e.cpu = 0 AND i.policy = 0 AND i.freq_khz = e.freq
  AND i.dep_policy = e.dep_policy AND i.dep_freq = e.dep_freq
GROUP BY e.config;

CREATE PERFETTO INDEX _estimated_configurations_by_config ON _estimated_configurations(config);

-- Nothing takes power while the device is suspended.
CREATE PERFETTO TABLE _cpu_estimates_mw AS
SELECT c.ts, c.dur, iif(c.suspended, 0, cpu0_mw) AS cpu0_mw, iif(c.suspended, 0, cpu1_mw) AS cpu1_mw,
  iif(c.suspended, 0, cpu2_mw) AS cpu2_mw, iif(c.suspended, 0, cpu3_mw) AS cpu3_mw,
  iif(c.suspended, 0, cpu4_mw) AS cpu4_mw, iif(c.suspended, 0, cpu5_mw) AS cpu5_mw,
  iif(c.suspended, 0, cpu6_mw) AS cpu6_mw, iif(c.suspended, 0, cpu7_mw) AS cpu7_mw,
  iif(c.suspended, 0, shared_mw + (coalesce(c.l3_hit_count * l3_hit, 0)
    + coalesce(c.l3_miss_count * l3_miss, 0)) * 1000 / c.dur) AS dsu_scu_mw
FROM _cpu_configurations AS c
JOIN _estimated_configurations USING (config);
