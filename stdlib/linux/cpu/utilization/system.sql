-- How busy all CPUs were. Cycles need sched_switch and cpu_frequency events.

INCLUDE PERFETTO MODULE linux.cpu.utilization.general;

CREATE PERFETTO FUNCTION cpu_utilization_per_period(
  interval LONG
) RETURNS TABLE(ts TIMESTAMP, utilization DOUBLE, unnormalized_utilization DOUBLE) AS
SELECT ts, utilization, unnormalized_utilization
FROM _cpu_utilization!($interval, _sched_without_idle);

CREATE PERFETTO TABLE cpu_utilization_per_second(
  ts TIMESTAMP, utilization DOUBLE, unnormalized_utilization DOUBLE
) AS
SELECT ts, utilization, unnormalized_utilization
FROM cpu_utilization_per_period(1000000000);

CREATE PERFETTO TABLE cpu_cycles(
  millicycles LONG, megacycles LONG, runtime DURATION, min_freq LONG, max_freq LONG,
  avg_freq LONG
) AS
SELECT _cpu_cycles!(), _cpu_frequencies!(dur)
FROM _running_at_frequency;

CREATE PERFETTO FUNCTION cpu_cycles_in_interval(
  ts TIMESTAMP, dur LONG
) RETURNS TABLE(
  millicycles LONG, megacycles LONG, runtime DURATION, awake_runtime DURATION,
  min_freq LONG, max_freq LONG, avg_freq LONG
) AS
SELECT _cpu_cycles!(), sum(_awake_dur!(ts, dur)) AS awake_runtime,
  _cpu_frequencies!(_dur_of_known_frequency!())
FROM _running_at_frequency_in!($ts, $dur);

CREATE PERFETTO FUNCTION cpu_utilization_in_interval(
  ts TIMESTAMP, dur LONG
) RETURNS TABLE(awake_dur LONG, awake_utilization DOUBLE,
  awake_unnormalized_utilization DOUBLE) AS
SELECT sum(awake_runtime) AS awake_dur,
  round(sum(awake_runtime) * 100.0 / _awake_dur!($ts, $dur) / (SELECT max(cpu) + 1 FROM cpu), 2)
    AS awake_utilization,
  round(sum(awake_runtime) * 100.0 / _awake_dur!($ts, $dur), 2) AS awake_unnormalized_utilization
FROM cpu_cycles_in_interval($ts, $dur);

CREATE PERFETTO TABLE cpu_cycles_per_cpu(
  ucpu JOINID(cpu.id), cpu LONG, millicycles LONG, megacycles LONG, runtime DURATION,
  min_freq LONG, max_freq LONG, avg_freq LONG
) AS
SELECT ucpu, cpu, _cpu_cycles!(), _cpu_frequencies!(dur)
FROM _running_at_frequency
GROUP BY ucpu;

CREATE PERFETTO FUNCTION cpu_cycles_per_cpu_in_interval(
  ts TIMESTAMP, dur LONG
) RETURNS TABLE(
  ucpu JOINID(cpu.id), cpu LONG, millicycles LONG, megacycles LONG, runtime DURATION,
  min_freq LONG, max_freq LONG, avg_freq LONG
) AS
SELECT ucpu, cpu, _cpu_cycles!(), _cpu_frequencies!(_dur_of_known_frequency!())
FROM _running_at_frequency_in!($ts, $dur)
GROUP BY ucpu;
