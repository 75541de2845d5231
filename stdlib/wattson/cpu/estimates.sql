-- Estimated power of the CPUs and of what they share, in mW.

INCLUDE PERFETTO MODULE wattson.cpu.pivot;
INCLUDE PERFETTO MODULE wattson.curves.utils;
INCLUDE PERFETTO MODULE wattson.device_infos;
INCLUDE PERFETTO MODULE wattson.utils;

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
  sum(static_mw) AS static_mw, max(i.curve_value) AS interconnect_mw, max(l.l3_hit) AS l3_hit,
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
  iif(c.suspended, 0, static_mw + coalesce(interconnect_mw, 0)
    + (coalesce(c.l3_hit_count * l3_hit, 0) + coalesce(c.l3_miss_count * l3_miss, 0)) * 1000 / c.dur) AS dsu_scu_mw
FROM _cpu_configurations AS c
JOIN _estimated_configurations USING (config);

-- The same by what tells configurations apart in _w_independent_cpus_calc.
CREATE PERFETTO VIEW _unique_estimates_mw AS
SELECT config_hash, cpu0_mw, cpu1_mw, cpu2_mw, cpu3_mw, cpu4_mw, cpu5_mw, cpu6_mw, cpu7_mw,
  static_mw, l3_hit, l3_miss, iif(suspended, 0, interconnect_mw) AS interconnect_mw
FROM (SELECT DISTINCT config, config_hash, suspended FROM _hashed_configurations)
JOIN _estimated_configurations USING (config);
