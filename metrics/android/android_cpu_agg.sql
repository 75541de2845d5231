-- cpu_freq_sched_per_thread: what ran on each CPU, and at which frequency (freq_khz).
DROP VIEW IF EXISTS cpu_freq_view;
CREATE VIEW cpu_freq_view AS
SELECT
  t.cpu,
  c.ts,
  lead(c.ts, 1, trace_end()) OVER (PARTITION BY t.cpu ORDER BY c.ts) - c.ts AS dur,
  cast_int!(c.value) AS freq_khz
FROM counter AS c
JOIN cpu_counter_track AS t ON t.id = c.track_id
WHERE t.name = 'cpufreq';

DROP TABLE IF EXISTS cpu_freq_sched_per_thread;
CREATE VIRTUAL TABLE cpu_freq_sched_per_thread
USING span_left_join(sched PARTITIONED cpu, cpu_freq_view PARTITIONED cpu);
