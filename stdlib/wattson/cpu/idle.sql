-- Sleep of the device's CPUs from the trace's start to its end.

INCLUDE PERFETTO MODULE wattson.device_infos;

CREATE PERFETTO VIEW _wattson_cpuidle_counters_exist AS
SELECT id FROM cpu_counter_track WHERE name = 'cpuidle' LIMIT 1;

-- Where states were not recorded, a CPU that runs the idle task sleeps deeply.
CREATE PERFETTO TABLE _idle_task_changes AS
SELECT ts, cpu, idle
FROM (
  SELECT ts, cpu, idle, lag(idle, 1, idle) OVER (PARTITION BY cpu ORDER BY ts) AS before
  FROM (
    SELECT ts, cpu, min(idle) AS idle
    FROM (
      SELECT s.ts, s.cpu, d.idle
      FROM sched AS s
      JOIN _deepest_idle AS d
      WHERE s.utid IN (SELECT utid FROM thread WHERE is_idle) AND s.dur <> 0
      UNION ALL
      SELECT ts + dur, cpu, 4294967295
      FROM sched
      WHERE utid IN (SELECT utid FROM thread WHERE is_idle) AND dur > 0
    )
    GROUP BY cpu, ts
  )
)
WHERE idle <> before AND NOT EXISTS (SELECT 1 FROM _wattson_cpuidle_counters_exist);

-- Changes of state, as the kernel counts them: 4294967295 is awake.
CREATE PERFETTO TABLE _unified_idle_state AS
SELECT ts, lag(ts, 1, trace_start()) OVER before AS prev_ts, idle,
  lag(idle) OVER before AS idle_prev, cpu
FROM (
  SELECT c.id, c.ts, CAST(c.value AS INTEGER) AS idle, t.cpu, c.track_id
  FROM cpu_counter_track AS t
  JOIN counter AS c ON c.track_id = t.id
  WHERE t.name = 'cpuidle'
  UNION ALL
  SELECT NULL, ts, idle, cpu, NULL FROM _idle_task_changes
)
WINDOW before AS (PARTITION BY track_id, cpu ORDER BY ts, id);

CREATE PERFETTO VIEW _filtered_deep_idle_offsets AS
SELECT cpu, offset_ns FROM _device_cpu_deep_idle_offsets JOIN _wattson_device ON name = device;

-- A CPU takes power before it says that it has left deep sleep.
CREATE PERFETTO TABLE _idle_changes AS
SELECT iif(s.idle_prev = 1 AND s.idle = 4294967295,
    max(s.ts - coalesce(e.offset_ns, 0), s.prev_ts), s.ts) AS ts,
  s.cpu, CASE
    WHEN s.idle = 4294967295 THEN -1
    WHEN EXISTS (SELECT 1 FROM _idle_state_map_override) THEN min(s.idle, 1)
    ELSE s.idle
  END AS idle
FROM _unified_idle_state AS s
JOIN _dev_cpu_policy_map AS m USING (cpu)
LEFT JOIN _filtered_deep_idle_offsets AS e ON e.cpu = s.cpu;

-- -1 is awake; NULL before a CPU's first state.
CREATE PERFETTO TABLE _adjusted_deep_idle AS
SELECT ts, dur, cpu, idle
FROM (
  SELECT ts, lead(ts, 1, trace_end()) OVER (PARTITION BY cpu ORDER BY ts) - ts AS dur, cpu, idle
  FROM _idle_changes
  UNION ALL
  SELECT trace_start(), coalesce(min(c.ts) - trace_start(), trace_dur()), m.cpu, NULL
  FROM _dev_cpu_policy_map AS m
  LEFT JOIN _idle_changes AS c ON c.cpu = m.cpu
  GROUP BY m.cpu
)
WHERE dur > 0;
