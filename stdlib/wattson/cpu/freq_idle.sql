-- Frequency and sleep of each CPU together, with the power where these decide it alone.

INCLUDE PERFETTO MODULE intervals.intersect;
INCLUDE PERFETTO MODULE wattson.cpu.freq;
INCLUDE PERFETTO MODULE wattson.cpu.hotplug;
INCLUDE PERFETTO MODULE wattson.cpu.idle;
INCLUDE PERFETTO MODULE wattson.curves.utils;
INCLUDE PERFETTO MODULE wattson.device_infos;
INCLUDE PERFETTO MODULE wattson.utils;

-- Estimates begin with the first frequency of CPU 0.
CREATE PERFETTO TABLE _valid_window AS
SELECT start AS ts, trace_end() - start AS dur, cpu
FROM (SELECT min(ts) AS start FROM _adjusted_cpu_freq WHERE cpu = 0 AND freq IS NOT NULL)
JOIN _dev_cpu_policy_map
WHERE start IS NOT NULL;

-- A CPU that is off sleeps as deeply as can be and takes nothing.
CREATE PERFETTO TABLE _idle_freq_materialized AS
SELECT i.ts, i.dur, i.cpu, f.policy, f.freq, iif(h.offline, d.idle, s.idle) AS idle,
  iif(h.offline, 0, c.curve_value) AS curve_value, c.static
FROM _interval_intersect!((
  _ii_subquery!(_valid_window), _ii_subquery!(_adjusted_cpu_freq),
  _ii_subquery!(_adjusted_deep_idle), _ii_subquery!(_gapless_hotplug_slices)
), (cpu)) AS i
JOIN _adjusted_cpu_freq AS f ON f._auto_id = i.id_1
JOIN _adjusted_deep_idle AS s ON s._auto_id = i.id_2
JOIN _gapless_hotplug_slices AS h ON h._auto_id = i.id_3
JOIN _deepest_idle AS d
LEFT JOIN _filtered_curves_1d AS c ON c.policy = f.policy AND c.freq_khz = f.freq
  AND c.idle = s.idle;
