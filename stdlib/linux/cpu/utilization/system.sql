-- How busy all CPUs were. Cycles need sched_switch and cpu_frequency events.

INCLUDE PERFETTO MODULE linux.cpu.utilization.general;
INCLUDE PERFETTO MODULE linux.cpu.utilization.thread_cpu;
INCLUDE PERFETTO MODULE time.conversion;

-- How busy the CPUs were in each period in which one was. What has not ended lasts -1 ns.
CREATE PERFETTO FUNCTION cpu_utilization_per_period(
  -- Length of a period, ns.
  interval LONG
) RETURNS TABLE(
  -- Start of the period, ns of trace time.
  ts TIMESTAMP,
  -- Part of the period's time on all CPUs, 0 to 1.
  utilization DOUBLE,
  -- Number of CPUs busy on average over the period.
  unnormalized_utilization DOUBLE
) AS
SELECT ts, utilization, unnormalized_utilization
FROM _cpu_utilization!($interval, (
  SELECT ts, dur FROM sched WHERE utid NOT IN (SELECT utid FROM thread WHERE is_idle)
));

-- How busy the CPUs were in each second in which one was.
CREATE PERFETTO TABLE cpu_utilization_per_second(
  -- Start of the second, ns of trace time.
  ts TIMESTAMP,
  -- Part of the period's time on all CPUs, 0 to 1.
  utilization DOUBLE,
  -- Number of CPUs busy on average over the period.
  unnormalized_utilization DOUBLE
) AS
SELECT ts, utilization, unnormalized_utilization
FROM cpu_utilization_per_period(1000000000);

-- Cycles of all CPUs in the whole trace.
CREATE PERFETTO TABLE cpu_cycles(
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
SELECT _cpu_cycles!(), _cpu_frequencies!(dur)
FROM _running_at_frequency;

-- Cycles of all CPUs between `ts` and `ts + dur`.
CREATE PERFETTO FUNCTION cpu_cycles_in_interval(
  -- Start of the interval, ns of trace time.
  ts TIMESTAMP,
  -- Length of the interval, ns.
  dur LONG
) RETURNS TABLE(
  -- CPU cycles, thousandths.
  millicycles LONG,
  -- CPU cycles, millions.
  megacycles LONG,
  -- Time on a CPU, ns.
  runtime DURATION,
  -- Time on a CPU while the machine was not suspended, ns.
  awake_runtime DURATION,
  -- Lowest CPU frequency, kHz.
  min_freq LONG,
  -- Highest CPU frequency, kHz.
  max_freq LONG,
  -- CPU frequency averaged over time, kHz.
  avg_freq LONG
) AS
SELECT _cpu_cycles!(), sum(_awake_dur!(ts, dur)) AS awake_runtime,
  _cpu_frequencies!(_dur_of_known_frequency!())
FROM _running_at_frequency_in!($ts, $dur);

-- How busy the CPUs were between `ts` and `ts + dur`.
CREATE PERFETTO FUNCTION cpu_utilization_in_interval(
  -- Start of the interval, ns of trace time.
  ts TIMESTAMP,
  -- Length of the interval, ns.
  dur LONG
) RETURNS TABLE(
  -- Time on a CPU while the machine was not suspended, ns.
  awake_dur LONG,
  -- Percentage of the awake time on all CPUs.
  awake_utilization DOUBLE,
  -- Percentage of the awake time on one CPU.
  awake_unnormalized_utilization DOUBLE
) AS
SELECT sum(awake_runtime) AS awake_dur,
  round(sum(awake_runtime) * 100.0 / _awake_dur!($ts, $dur) / (SELECT max(cpu) + 1 FROM cpu), 2)
    AS awake_utilization,
  round(sum(awake_runtime) * 100.0 / _awake_dur!($ts, $dur), 2) AS awake_unnormalized_utilization
FROM cpu_cycles_in_interval($ts, $dur);

-- Cycles of each CPU in the whole trace.
CREATE PERFETTO TABLE cpu_cycles_per_cpu(
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
SELECT ucpu, cpu, _cpu_cycles!(), _cpu_frequencies!(dur)
FROM _running_at_frequency
GROUP BY ucpu;

-- Cycles of each CPU between `ts` and `ts + dur`.
CREATE PERFETTO FUNCTION cpu_cycles_per_cpu_in_interval(
  -- Start of the interval, ns of trace time.
  ts TIMESTAMP,
  -- Length of the interval, ns.
  dur LONG
) RETURNS TABLE(
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
SELECT ucpu, cpu, _cpu_cycles!(), _cpu_frequencies!(_dur_of_known_frequency!())
FROM _running_at_frequency_in!($ts, $dur)
GROUP BY ucpu;
