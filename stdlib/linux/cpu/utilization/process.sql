-- How busy the threads of processes kept the CPUs.
-- Cycles need sched_switch and cpu_frequency events.

INCLUDE PERFETTO MODULE linux.cpu.utilization.general;

CREATE PERFETTO FUNCTION cpu_process_utilization_per_period(
  interval LONG, upid JOINID(process.id)
) RETURNS TABLE(ts TIMESTAMP, utilization DOUBLE, unnormalized_utilization DOUBLE) AS
SELECT ts, utilization, unnormalized_utilization
FROM _cpu_utilization!($interval, (
  SELECT ts, dur FROM _sched_without_idle JOIN thread USING (utid) WHERE upid = $upid
));

CREATE PERFETTO FUNCTION cpu_process_utilization_per_second(
  upid JOINID(process.id)
) RETURNS TABLE(ts TIMESTAMP, utilization DOUBLE, unnormalized_utilization DOUBLE) AS
SELECT ts, utilization, unnormalized_utilization
FROM cpu_process_utilization_per_period(1000000000, $upid);

CREATE PERFETTO TABLE cpu_cycles_per_process(
  upid JOINID(process.id), millicycles LONG, megacycles LONG, runtime DURATION, min_freq LONG,
  max_freq LONG, avg_freq LONG
) AS
SELECT upid, _cpu_cycles!(), _cpu_frequencies!(dur)
FROM _running_at_frequency
JOIN thread USING (utid)
WHERE upid IS NOT NULL
GROUP BY upid;

CREATE PERFETTO FUNCTION cpu_cycles_per_process_in_interval(
  ts TIMESTAMP, dur LONG
) RETURNS TABLE(
  upid JOINID(process.id), millicycles LONG, megacycles LONG, runtime DURATION,
  awake_runtime DURATION, min_freq LONG, max_freq LONG, avg_freq LONG
) AS
SELECT upid, _cpu_cycles!(), sum(_awake_dur!(ts, dur)) AS awake_runtime,
  _cpu_frequencies!(_dur_of_known_frequency!())
FROM _running_at_frequency_in!($ts, $dur)
JOIN thread USING (utid)
GROUP BY upid;

CREATE PERFETTO FUNCTION cpu_process_utilization_in_interval(
  ts TIMESTAMP, dur LONG
) RETURNS TABLE(
  upid JOINID(process.id), process_name STRING, awake_dur LONG, awake_utilization DOUBLE,
  awake_unnormalized_utilization DOUBLE
) AS
SELECT upid, process.name AS process_name, sum(awake_runtime) AS awake_dur,
  round(sum(awake_runtime) * 100.0 / _awake_dur!($ts, $dur) / (SELECT max(cpu) + 1 FROM cpu), 6)
    AS awake_utilization,
  round(sum(awake_runtime) * 100.0 / _awake_dur!($ts, $dur), 6) AS awake_unnormalized_utilization
FROM cpu_cycles_per_process_in_interval($ts, $dur)
JOIN process USING (upid)
GROUP BY upid;
