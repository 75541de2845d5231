-- The curves of the trace's device. A CPU's idle state is -1 where it is not idle.

INCLUDE PERFETTO MODULE wattson.curves.cpu_1d;
INCLUDE PERFETTO MODULE wattson.curves.cpu_2d;
INCLUDE PERFETTO MODULE wattson.curves.gpu;
INCLUDE PERFETTO MODULE wattson.curves.l3;
INCLUDE PERFETTO MODULE wattson.curves.tpu;
INCLUDE PERFETTO MODULE wattson.device_infos;
INCLUDE PERFETTO MODULE wattson.utils;

-- A row for each of a policy's CPUs.
CREATE PERFETTO TABLE _filtered_curves_1d_raw AS
SELECT m.policy, c.freq_khz, c.active, c.idle0, c.idle1, c.static
FROM _device_curves_1d AS c
JOIN _wattson_device ON name = c.device
JOIN _dev_cpu_policy_map AS m ON m.policy = c.policy;

CREATE PERFETTO TABLE _filtered_curves_1d AS
WITH own AS (SELECT DISTINCT * FROM _filtered_curves_1d_raw)
SELECT policy, freq_khz, -1 AS idle, active AS curve_value, static FROM own
UNION
SELECT policy, freq_khz, 0, idle0, static FROM own
UNION
SELECT policy, freq_khz, 1, idle1, static FROM own;

CREATE PERFETTO INDEX _filtered_curves_1d_by_freq ON _filtered_curves_1d(policy, freq_khz, idle);

CREATE PERFETTO TABLE _filtered_curves_2d_raw AS
SELECT c.policy, c.freq_khz, c.dep_policy, c.dep_freq, c.active, c.idle0, c.idle1, c.static,
  c.interconnect
FROM _device_curves_2d AS c
JOIN _wattson_device ON name = device;

CREATE PERFETTO TABLE _filtered_curves_2d AS
SELECT freq_khz, dep_policy, dep_freq, -1 AS idle, static, active AS curve_value
FROM _filtered_curves_2d_raw
UNION
SELECT freq_khz, dep_policy, dep_freq, 0, static, idle0 FROM _filtered_curves_2d_raw
UNION
SELECT freq_khz, dep_policy, dep_freq, 1, static, idle1 FROM _filtered_curves_2d_raw;

CREATE PERFETTO INDEX _filtered_curves_2d_by_freq ON _filtered_curves_2d(
  freq_khz, dep_policy, dep_freq, idle);

CREATE PERFETTO TABLE _filtered_curves_l3 AS
SELECT c.freq_khz, c.dep_policy, c.dep_freq, c.l3_hit, c.l3_miss
FROM _device_curves_l3 AS c
JOIN _wattson_device ON name = device;

CREATE PERFETTO INDEX _filtered_curves_l3_by_freq ON _filtered_curves_l3(
  freq_khz, dep_policy, dep_freq);

-- States of GPUs are counted the other way round: 2 is at work, 0 off.
CREATE PERFETTO TABLE _gpu_filtered_curves_raw AS
SELECT c.freq_khz, c.active, c.idle1, c.idle2
FROM _gpu_device_curves AS c
JOIN _wattson_device ON name = device;

CREATE PERFETTO TABLE _gpu_filtered_curves AS
SELECT freq_khz, 2 AS idle, active AS curve_value FROM _gpu_filtered_curves_raw
UNION ALL
SELECT freq_khz, 1, idle1 FROM _gpu_filtered_curves_raw
UNION ALL
SELECT freq_khz, 0, idle2 FROM _gpu_filtered_curves_raw;

CREATE PERFETTO INDEX _gpu_filtered_curves_by_freq ON _gpu_filtered_curves(freq_khz, idle);

CREATE PERFETTO TABLE _tpu_filtered_curves AS
SELECT c.cluster, c.freq, c.requests, c.active
FROM _tpu_device_curves AS c
JOIN _wattson_device ON name = device;

CREATE PERFETTO INDEX _tpu_filtered_curves_by_freq ON _tpu_filtered_curves(cluster, freq, requests);

CREATE PERFETTO TABLE _filtered_curves_interconnect AS
SELECT policy, freq_khz, dep_policy, dep_freq, interconnect AS curve_value
FROM _filtered_curves_2d_raw
WHERE interconnect > 0;

-- CPUs whose power depends on the shared unit.
CREATE PERFETTO TABLE _cpu_w_dsu_dependency AS
SELECT DISTINCT cpu
FROM _filtered_curves_2d_raw
JOIN _dev_cpu_policy_map USING (policy)
WHERE dep_policy = _dsu_dep!();

-- What a CPU's power depends on while no other is at work.
CREATE PERFETTO TABLE _cpu_w_dependency_default_vote AS
SELECT cpu, dep_policy, dep_freq
FROM (
  SELECT policy, dep_policy, min(dep_freq) AS dep_freq FROM _filtered_curves_2d_raw GROUP BY policy
)
JOIN _dev_cpu_policy_map USING (policy);

-- CPUs whose power depends on other CPUs, and which those are.
CREATE PERFETTO TABLE _cpu_lut_dependencies AS
SELECT b.cpu, d.cpu AS dep_cpu
FROM _dev_cpu_policy_map AS b
JOIN _dev_cpu_policy_map AS d ON d.policy <> b.policy
WHERE b.policy IN (SELECT policy FROM _filtered_curves_2d_raw WHERE dep_policy <> _dsu_dep!())
  AND d.policy IN (SELECT dep_policy FROM _filtered_curves_2d_raw);

-- CPUs of which the curves know what they take while all of their policy sleep.
CREATE PERFETTO TABLE _cpus_for_static AS
SELECT cpu
FROM _dev_cpu_policy_map
WHERE policy IN (SELECT policy FROM _filtered_curves_1d WHERE static > 0)
  OR policy IN (SELECT policy FROM _filtered_curves_2d_raw WHERE static > 0);
