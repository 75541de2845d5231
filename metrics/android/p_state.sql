-- p_state_over_interval(start_ns, end_ns): how long each CPU was at which frequency and in which idle state (-1: none)
-- between two times.
SELECT run_metric('android/android_cpu_agg.sql');

-- An idle state's interval is taken from the time before it was told.
DROP VIEW IF EXISTS p_state_cpu_idle_counter;
CREATE VIEW p_state_cpu_idle_counter AS
SELECT
  c.ts,
  c.ts - lag(c.ts) OVER (PARTITION BY c.track_id ORDER BY c.ts) AS dur,
  t.cpu,
  iif(c.value = 4294967295, -1, cast_int!(c.value)) AS idle_value
FROM counter AS c
JOIN cpu_counter_track AS t ON t.id = c.track_id
WHERE t.name = 'cpuidle';

DROP TABLE IF EXISTS p_state_sched_freq_idle;
CREATE VIRTUAL TABLE p_state_sched_freq_idle
USING span_join(cpu_freq_sched_per_thread PARTITIONED cpu, p_state_cpu_idle_counter PARTITIONED cpu);

CREATE OR REPLACE PERFETTO FUNCTION p_state_over_interval(start_ns LONG, end_ns LONG)
RETURNS TABLE(cpu LONG, freq_khz LONG, idle_value LONG, dur_ns LONG) AS
SELECT cpu, freq_khz, idle_value, sum(min(ts + dur, $end_ns) - max(ts, $start_ns)) AS dur_ns
FROM p_state_sched_freq_idle
WHERE freq_khz > 0 AND ts < $end_ns AND ts + dur > $start_ns
GROUP BY cpu, freq_khz, idle_value;
