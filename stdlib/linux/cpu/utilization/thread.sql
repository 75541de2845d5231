-- How busy threads kept the CPUs.
-- Cycles need sched_switch and cpu_frequency events.

INCLUDE PERFETTO MODULE linux.cpu.utilization.general;
INCLUDE PERFETTO MODULE linux.cpu.utilization.thread_cpu;
INCLUDE PERFETTO MODULE time.conversion;

-- How busy a thread kept the CPUs in each period in which it ran.
CREATE PERFETTO FUNCTION cpu_thread_utilization_per_period(
  -- Length of a period, ns.
  interval LONG,
  -- Thread, joins thread.
  utid JOINID(thread.id)
) RETURNS TABLE(
  -- Start of the period, ns of trace time.
  ts TIMESTAMP,
  -- Part of the period's time on all CPUs, 0 to 1.
  utilization DOUBLE,
  -- Number of CPUs busy on average over the period.
  unnormalized_utilization DOUBLE
) AS
SELECT ts, utilization, unnormalized_utilization
FROM _cpu_utilization!($interval, (SELECT ts, dur FROM _sched_without_idle WHERE utid = $utid));

-- How busy a thread kept the CPUs in each second in which it ran.
CREATE PERFETTO FUNCTION cpu_thread_utilization_per_second(
  -- Thread, joins thread.
  utid JOINID(thread.id)
) RETURNS TABLE(
  -- Start of the second, ns of trace time.
  ts TIMESTAMP,
  -- Part of the period's time on all CPUs, 0 to 1.
  utilization DOUBLE,
  -- Number of CPUs busy on average over the period.
  unnormalized_utilization DOUBLE
) AS
SELECT ts, utilization, unnormalized_utilization
FROM cpu_thread_utilization_per_period(1000000000, $utid);

-- CPU cycles of each thread in the whole trace.
CREATE PERFETTO TABLE cpu_cycles_per_thread(
  -- Thread, joins thread.
  utid JOINID(thread.id),
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
SELECT utid, _cpu_cycles!(), _cpu_frequencies!(dur)
FROM _running_at_frequency
GROUP BY utid;

-- CPU cycles of each thread between `ts` and `ts + dur`.
CREATE PERFETTO FUNCTION cpu_cycles_per_thread_in_interval(
  -- Start of the interval, ns of trace time.
  ts TIMESTAMP,
  -- Length of the interval, ns.
  dur LONG
) RETURNS TABLE(
  -- Thread, joins thread.
  utid JOINID(thread.id),
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
SELECT utid, _cpu_cycles!(), sum(_awake_dur!(ts, dur)) AS awake_runtime,
  _cpu_frequencies!(_dur_of_known_frequency!())
FROM _running_at_frequency_in!($ts, $dur)
GROUP BY utid;

-- How busy each thread kept the CPUs between `ts` and `ts + dur`.
CREATE PERFETTO FUNCTION cpu_thread_utilization_in_interval(
  -- Start of the interval, ns of trace time.
  ts TIMESTAMP,
  -- Length of the interval, ns.
  dur LONG
) RETURNS TABLE(
  -- Process, joins process.
  upid JOINID(process.id),
  -- Thread, joins thread.
  utid JOINID(thread.id),
  -- Name of the thread.
  thread_name STRING,
  -- Time on a CPU while the machine was not suspended, ns.
  awake_dur LONG,
  -- Percentage of the awake time on all CPUs.
  awake_utilization DOUBLE,
  -- Percentage of the awake time on one CPU.
  awake_unnormalized_utilization DOUBLE
) AS
SELECT upid, utid, thread.name AS thread_name, sum(awake_runtime) AS awake_dur,
  round(sum(awake_runtime) * 100.0 / _awake_dur!($ts, $dur) / (SELECT max(cpu) + 1 FROM cpu), 6)
    AS awake_utilization,
  round(sum(awake_runtime) * 100.0 / _awake_dur!($ts, $dur), 6) AS awake_unnormalized_utilization
FROM cpu_cycles_per_thread_in_interval($ts, $dur)
JOIN thread USING (utid)
GROUP BY utid;
