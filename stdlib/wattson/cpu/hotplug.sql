-- When CPUs are off, and when the whole device is suspended.

INCLUDE PERFETTO MODULE android.suspend;
INCLUDE PERFETTO MODULE time.conversion;
INCLUDE PERFETTO MODULE wattson.device_infos;

-- While a CPU is off, another one does the steps of taking it out and in. Less than 100 us of that
-- is not.
CREATE PERFETTO TABLE _cpu_hotplug_offline AS
SELECT ts, dur, cpu, is_different_cpu AND dur >= time_from_us(100) AS is_different_cpu
FROM (
  SELECT ts, lead(ts, 1, trace_end()) OVER (PARTITION BY cpu) - ts AS dur, cpu, is_different_cpu
  FROM (
    SELECT ts, cpu, is_different_cpu,
      lag(is_different_cpu) OVER (PARTITION BY cpu) <> is_different_cpu AS changes
    FROM (
      SELECT s.ts, extract_arg(t.dimension_arg_set_id, 'cpu') AS cpu,
        extract_arg(t.dimension_arg_set_id, 'cpu') <> extract_arg(s.arg_set_id, 'action_cpu')
          AS is_different_cpu
      FROM track AS t
      JOIN slice AS s ON s.track_id = t.id
      WHERE t.type = 'cpu_hotplug'
      ORDER BY s.id
    )
  )
  WHERE changes
);

CREATE PERFETTO TABLE _gapless_hotplug_slices AS
SELECT ts, dur, cpu, is_different_cpu AS offline FROM _cpu_hotplug_offline
UNION ALL
SELECT trace_start(), coalesce(min(o.ts) - trace_start(), trace_dur()), m.cpu, FALSE
FROM _dev_cpu_policy_map AS m
LEFT JOIN _cpu_hotplug_offline AS o ON o.cpu = m.cpu
GROUP BY m.cpu
ORDER BY 3, 1;

CREATE PERFETTO TABLE _gapless_suspend_slices AS
SELECT ts, dur, power_state = 'suspended' AS suspended FROM android_suspend_state;
