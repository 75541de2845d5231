-- CPU cycles of each thread on each CPU. Needs sched_switch and cpu_frequency events.

INCLUDE PERFETTO MODULE linux.cpu.utilization.general;

CREATE PERFETTO TABLE cpu_cycles_per_thread_per_cpu(
  utid JOINID(thread.id), ucpu JOINID(cpu.id), cpu LONG, millicycles LONG, megacycles LONG,
  runtime DURATION, min_freq LONG, max_freq LONG, avg_freq LONG
) AS
SELECT utid, ucpu, cpu, _cpu_cycles!(), _cpu_frequencies!(dur)
FROM _running_at_frequency
GROUP BY utid, ucpu;

CREATE PERFETTO FUNCTION cpu_cycles_per_thread_per_cpu_in_interval(
  ts TIMESTAMP, dur LONG
) RETURNS TABLE(
  utid JOINID(thread.id), ucpu JOINID(cpu.id), cpu LONG, millicycles LONG, megacycles LONG,
  runtime DURATION, min_freq LONG, max_freq LONG, avg_freq LONG
) AS
SELECT utid, ucpu, cpu, _cpu_cycles!(), _cpu_frequencies!(_dur_of_known_frequency!())
FROM _running_at_frequency_in!($ts, $dur)
GROUP BY utid, ucpu;
