-- The device of the trace, as far as there are power curves of it, and how its CPUs are arranged.

INCLUDE PERFETTO MODULE android.device;
INCLUDE PERFETTO MODULE wattson.curves.cpu_1d;
INCLUDE PERFETTO MODULE wattson.curves.cpu_2d;
INCLUDE PERFETTO MODULE wattson.utils;

-- Devices that do not tell the model of their chip.
CREATE PERFETTO TABLE _wattson_device_map AS
SELECT column1 AS device, column2 AS wattson_device
FROM (VALUES ('oriole', 'Tensor'), ('raven', 'Tensor'), ('bluejay', 'Tensor'), ('eos', 'monaco'),
  ('aurora', 'monaco'));

-- What the trace calls its chip: a guest's model goes before that of its host. NULL: it does not say.
CREATE PERFETTO TABLE _wattson_model AS
SELECT coalesce(
  (SELECT str_value FROM metadata WHERE name = 'android_guest_soc_model' LIMIT 1),
  (SELECT str_value FROM metadata WHERE name = 'android_soc_model' LIMIT 1),
  (SELECT m.wattson_device FROM _wattson_device_map AS m
   JOIN android_device_name AS d ON d.name = m.device)
) AS name;

CREATE PERFETTO TABLE _wattson_device AS
SELECT name
FROM _wattson_model
WHERE name IN (SELECT device FROM _device_curves_1d UNION SELECT device FROM _device_curves_2d);

-- The CPUs of chips, by the first and last of each policy.
CREATE PERFETTO TABLE _cpu_to_policy_map AS
SELECT chip.column1 AS device, n.column1 AS cpu, chip.column2 AS policy
FROM (VALUES ('monaco', 0, 3), ('Tensor', 0, 3), ('Tensor', 4, 5), ('Tensor', 6, 7),
  ('Tensor G4', 0, 3), ('Tensor G4', 4, 6), ('Tensor G4', 7, 7), ('Tensor G5', 0, 1),
  ('Tensor G5', 2, 4), ('Tensor G5', 5, 6), ('Tensor G5', 7, 7), ('neo', 0, 3), ('SXR2230P', 0, 1),
  ('SXR2230P', 2, 5), ('MT6858', 0, 3), ('MT6858', 4, 7), ('MT6897', 0, 3), ('MT6897', 4, 6),
  ('MT6897', 7, 7), ('SM8750', 0, 5), ('SM8750', 6, 7)) AS chip
JOIN (VALUES (0), (1), (2), (3), (4), (5), (6), (7)) AS n
  ON n.column1 BETWEEN chip.column2 AND chip.column3
ORDER BY device, cpu;

-- A policy is called by its first CPU. It has those up to the next policy's. Of chips that are not
-- known, as many CPUs are taken to be there as the trace knows.
CREATE PERFETTO TABLE _dev_cpu_policy_map AS
WITH RECURSIVE _cpu(cpu) AS (
  SELECT 0 FROM _wattson_device
  UNION ALL
  SELECT cpu + 1
  FROM _cpu
  WHERE cpu + 1 < min(8, coalesce(
    (SELECT max(cpu) + 1 FROM _cpu_to_policy_map JOIN _wattson_device ON name = device),
    (SELECT max(cpu) + 1 FROM cpu), 1))
),
_policy AS (
  SELECT policy FROM _device_curves_1d JOIN _wattson_device ON name = device
  UNION
  SELECT policy FROM _device_curves_2d JOIN _wattson_device ON name = device
)
SELECT cpu, max(policy) AS policy
FROM _cpu
JOIN _policy ON policy <= cpu
GROUP BY cpu;

CREATE PERFETTO TABLE _device_policies AS
SELECT DISTINCT policy FROM _dev_cpu_policy_map;

-- Which policies there are with which CPUs, as bits, for the policy of each CPU.
CREATE PERFETTO TABLE _policy_masks AS
WITH own AS (
  SELECT max(iif(cpu = 0, policy, -1)) AS p0, max(iif(cpu = 1, policy, -1)) AS p1,
    max(iif(cpu = 2, policy, -1)) AS p2, max(iif(cpu = 3, policy, -1)) AS p3,
    max(iif(cpu = 4, policy, -1)) AS p4, max(iif(cpu = 5, policy, -1)) AS p5,
    max(iif(cpu = 6, policy, -1)) AS p6, max(iif(cpu = 7, policy, -1)) AS p7
  FROM _dev_cpu_policy_map
)
SELECT _policy_mask!(p0, p0, p1, p2, p3, p4, p5, p6, p7) AS m0,
  _policy_mask!(p1, p0, p1, p2, p3, p4, p5, p6, p7) AS m1,
  _policy_mask!(p2, p0, p1, p2, p3, p4, p5, p6, p7) AS m2,
  _policy_mask!(p3, p0, p1, p2, p3, p4, p5, p6, p7) AS m3,
  _policy_mask!(p4, p0, p1, p2, p3, p4, p5, p6, p7) AS m4,
  _policy_mask!(p5, p0, p1, p2, p3, p4, p5, p6, p7) AS m5,
  _policy_mask!(p6, p0, p1, p2, p3, p4, p5, p6, p7) AS m6,
  _policy_mask!(p7, p0, p1, p2, p3, p4, p5, p6, p7) AS m7
FROM own;

-- CPUs go on to take power for so long after they have said that they leave deep sleep.
CREATE PERFETTO TABLE _device_cpu_deep_idle_offsets AS
SELECT m.device, m.cpu, coalesce(e.offset_ns, 0) AS offset_ns
FROM _cpu_to_policy_map AS m
LEFT JOIN (
  SELECT column1 AS device, column2 AS first, column3 AS last, column4 AS offset_ns
  FROM (VALUES ('Tensor', 6, 7, 200000), ('monaco', 0, 3, 450000), ('Tensor G4', 4, 6, 110000),
    ('Tensor G4', 7, 7, 400000), ('neo', 0, 3, 100000))
) AS e ON e.device = m.device AND m.cpu BETWEEN e.first AND e.last;

CREATE PERFETTO TABLE _deepest_idle AS
SELECT 1 AS idle;

-- Curves know two states of sleep. Some chips have more of them; 4294967295 is none.
CREATE PERFETTO TABLE _idle_state_map AS
SELECT chip.column1 AS device, n.column1 AS nominal_idle,
  iif(n.column1 = 4294967295, -1, min(n.column1, deepest.idle)) AS override_idle
FROM (VALUES ('MT6858', 5), ('MT6897', 8), ('neo', 2), ('SXR2230P', 2)) AS chip
JOIN (VALUES (4294967295), (0), (1), (2), (3), (4), (5), (6), (7), (8)) AS n
  ON n.column1 <= chip.column2 OR n.column1 = 4294967295
JOIN _deepest_idle AS deepest;

CREATE PERFETTO TABLE _idle_state_map_override AS
SELECT nominal_idle, override_idle FROM _idle_state_map JOIN _wattson_device ON name = device;

-- Chips of which the shared unit's frequency matters.
CREATE PERFETTO TABLE _use_devfreq AS
SELECT column1 AS device FROM (VALUES ('Tensor G4'), ('Tensor G5'));

-- Whether the trace's is one of these: a row in the one table or in the other.
CREATE PERFETTO TABLE _use_devfreq_for_calc AS
SELECT TRUE AS devfreq_necessary FROM _use_devfreq JOIN _wattson_device ON name = device;

CREATE PERFETTO TABLE _skip_devfreq_for_calc AS
SELECT FALSE AS devfreq_necessary WHERE NOT EXISTS (SELECT 1 FROM _use_devfreq_for_calc);

-- Which of several other CPUs decides what a CPU's power depends on: that of the highest frequency,
-- or by default that of the highest power.
CREATE PERFETTO TABLE _vote_by_freq AS
SELECT column1 AS device, column2 AS cpu
FROM (VALUES ('Tensor G5', 5), ('Tensor G5', 6), ('Tensor G5', 7));

CREATE PERFETTO TABLE _dev_vote_by_freq AS
SELECT cpu, cpu IN (
    SELECT cpu FROM _vote_by_freq JOIN _wattson_device ON name = device) AS vote_by_freq
FROM _dev_cpu_policy_map
JOIN _wattson_device;

-- The GPU whose frequency counts.
CREATE PERFETTO TABLE _gpuid_map AS
SELECT column1 AS device, column2 AS gpu_id FROM (VALUES ('Tensor G5', 0), ('Tensor', 1));
