-- CPU cycles of each thread on each CPU. Needs sched_switch and cpu_frequency events.

INCLUDE PERFETTO MODULE linux.cpu.utilization.general;

-- CPU cycles of each thread on each CPU in the whole trace.
CREATE PERFETTO TABLE cpu_cycles_per_thread_per_cpu(
  -- Thread, joins thread.
  utid JOINID(thread.id),
  -- CPU, unique over all machines; joins cpu.
  ucpu JOINID(cpu.id),
  -- CPU number.
  cpu LONG,
  -- CPU cycles, thousandths.
  millicycles LONG,
  -- CPU cycles, millions.
  megacycles LONG,
  -- Time on a CPU, ns.
  runtime DURATION,
  -- Lowest CPU frequency, kHz.
  min_freq LONG,
  -- Highest CPU frequency, kHz.
  max_freq LONG,
  -- CPU frequency averaged over time, kHz.
  avg_freq LONG
) AS
SELECT utid, ucpu, cpu, _cpu_cycles!(), _cpu_frequencies!(dur)
FROM _running_at_frequency
GROUP BY utid, ucpu;

-- CPU cycles of each thread on each CPU between `ts` and `ts + dur`.
CREATE PERFETTO FUNCTION cpu_cycles_per_thread_per_cpu_in_interval(
  -- Start of the interval, ns of trace time.
  ts TIMESTAMP,
  -- Length of the interval, ns.
  dur LONG
) RETURNS TABLE(
  -- Thread, joins thread.
  utid JOINID(thread.id),
  -- CPU, unique over all machines; joins cpu.
  ucpu JOINID(cpu.id),
  -- CPU number.
  cpu LONG,
  -- CPU cycles, thousandths.
  millicycles LONG,
  -- CPU cycles, millions.
  megacycles LONG,
  -- Time on a CPU, ns.
  runtime DURATION,
  -- Lowest CPU frequency, kHz.
  min_freq LONG,
  -- Highest CPU frequency, kHz.
  max_freq LONG,
  -- CPU frequency averaged over time, kHz.
  avg_freq LONG
) AS
SELECT utid, ucpu, cpu, _cpu_cycles!(), _cpu_frequencies!(_dur_of_known_frequency!())
FROM _running_at_frequency_in!($ts, $dur)
GROUP BY utid, ucpu;
