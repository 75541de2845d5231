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

-- A guest's model goes before that of its host.
CREATE PERFETTO TABLE _wattson_device AS
SELECT name
FROM (
  SELECT coalesce(
    (SELECT str_value FROM metadata WHERE name = 'android_guest_soc_model' LIMIT 1),
    (SELECT str_value FROM metadata WHERE name = 'android_soc_model' LIMIT 1),
    (SELECT m.wattson_device FROM _wattson_device_map AS m
     JOIN android_device_name AS d ON d.name = m.device)
  ) AS name
)
WHERE name IN (SELECT device FROM _device_curves_1d UNION SELECT device FROM _device_curves_2d);

-- How many CPUs chips have; of others as many are taken to be there as the trace knows.
CREATE PERFETTO TABLE _known_cpu_counts AS
SELECT column1 AS device, column2 AS cpus
FROM (VALUES ('Tensor', 8), ('Tensor G4', 8), ('Tensor G5', 8), ('monaco', 4), ('neo', 4),
  ('SXR2230P', 6), ('MT6858', 8), ('MT6897', 8), ('SM8750', 8));

-- A policy is called by its first CPU. It has those up to the next policy's.
CREATE PERFETTO TABLE _dev_cpu_policy_map AS
WITH RECURSIVE _cpu(cpu) AS (
  SELECT 0 FROM _wattson_device
  UNION ALL
  SELECT cpu + 1
  FROM _cpu
  WHERE cpu + 1 < min(8, coalesce(
    (SELECT cpus FROM _known_cpu_counts JOIN _wattson_device ON name = device),
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

-- CPUs go on to take power for so long after they have said that they leave deep sleep.
CREATE PERFETTO TABLE _deep_idle_ends AS
SELECT m.cpu, coalesce(max(e.offset_ns), 0) AS offset_ns
FROM _dev_cpu_policy_map AS m
JOIN _wattson_device AS d
LEFT JOIN (
  SELECT column1 AS device, column2 AS first, column3 AS last, column4 AS offset_ns
  FROM (VALUES ('Tensor', 6, 7, 200000), ('monaco', 0, 3, 450000), ('Tensor G4', 4, 6, 110000),
    ('Tensor G4', 7, 7, 400000), ('neo', 0, 3, 100000))
) AS e ON e.device = d.name AND m.cpu BETWEEN e.first AND e.last
GROUP BY m.cpu;

-- Curves know two states of sleep. Chips that have more of them enter the second one of these.
CREATE PERFETTO TABLE _deepest_idle AS
SELECT 1 AS idle;

CREATE PERFETTO TABLE _merges_deep_idle AS
SELECT name FROM _wattson_device WHERE name IN ('MT6858', 'MT6897', 'neo', 'SXR2230P');

-- Chips of which the shared unit's frequency matters.
CREATE PERFETTO TABLE _use_devfreq AS
SELECT column1 AS device FROM (VALUES ('Tensor G4'), ('Tensor G5'));

-- Which of several other CPUs decides what a CPU's power depends on: that of the highest frequency,
-- or by default that of the highest power.
CREATE PERFETTO TABLE _dev_vote_by_freq AS
SELECT cpu, name = 'Tensor G5' AND cpu IN (5, 6, 7) AS vote_by_freq
FROM _dev_cpu_policy_map
JOIN _wattson_device;

-- The GPU whose frequency counts.
CREATE PERFETTO TABLE _gpuid_map AS
SELECT column1 AS device, column2 AS gpu_id FROM (VALUES ('Tensor G5', 0), ('Tensor', 1));
