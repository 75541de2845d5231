-- How often and how long each CPU was in each idle state.

INCLUDE PERFETTO MODULE linux.cpu.idle;

CREATE PERFETTO TABLE cpu_idle_stats(
  cpu LONG, state LONG, count LONG, dur DURATION, avg_dur DURATION, idle_percent DOUBLE
) AS
SELECT cpu, idle + 1 AS state, count(*) AS count, sum(dur) AS dur, sum(dur) / count(*) AS avg_dur,
  sum(dur) * 100.0 / (SELECT sum(dur) FROM cpu_idle_counters AS all_states
    WHERE all_states.cpu = c.cpu) AS idle_percent
FROM cpu_idle_counters AS c
WHERE idle >= 0
GROUP BY cpu, idle;
