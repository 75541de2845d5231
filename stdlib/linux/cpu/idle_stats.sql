-- How often and how long each CPU was in each idle state.

INCLUDE PERFETTO MODULE linux.cpu.idle;

-- Each idle state of each CPU in the whole trace.
CREATE PERFETTO TABLE cpu_idle_stats(
  -- CPU number.
  cpu LONG,
  -- Idle state, one above the kernel's number.
  state LONG,
  -- How often the CPU entered it.
  count LONG,
  -- Time in it, ns.
  dur DURATION,
  -- Time in it at once, average, ns.
  avg_dur DURATION,
  -- Percentage of the time for which the CPU's state is known.
  idle_percent DOUBLE
) AS
SELECT cpu, idle + 1 AS state, count(*) AS count, sum(dur) AS dur, sum(dur) / count(*) AS avg_dur,
  sum(dur) * 100.0 / (SELECT sum(dur) FROM cpu_idle_counters AS all_states
    WHERE all_states.cpu = c.cpu) AS idle_percent
FROM cpu_idle_counters AS c
WHERE idle >= 0
GROUP BY cpu, idle;
