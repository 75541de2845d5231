-- The part of the time between two readings of sysfs that CPUs spent in each idle state. Residency
-- and time are in microseconds; C0, the time in no idle state, is what is left.

INCLUDE PERFETTO MODULE time.conversion;

CREATE PERFETTO TABLE _cpu_idle_residency(
  ts TIMESTAMP, machine_id JOINID(machine.id), state STRING, cpu LONG, residency DOUBLE,
  time_slice LONG
) AS
SELECT c.ts, t.machine_id, extract_arg(t.dimension_arg_set_id, 'state') AS state,
  extract_arg(t.dimension_arg_set_id, 'cpu') AS cpu,
  c.value - lag(c.value) OVER by_track AS residency,
  (c.ts - lag(c.ts) OVER by_track) / 1000 AS time_slice
FROM track AS t
JOIN counter AS c ON c.track_id = t.id
WHERE t.type = 'cpu_idle_state'
WINDOW by_track AS (PARTITION BY c.track_id ORDER BY c.ts);

-- Idle states of each CPU.
CREATE PERFETTO TABLE linux_per_cpu_idle_time_in_state_counters(
  -- When sysfs was read, ns of trace time.
  ts TIMESTAMP,
  -- Machine, joins machine.
  machine_id JOINID(machine.id),
  -- Idle state, as C1.
  state STRING,
  -- CPU number.
  cpu LONG,
  -- Percentage of the time since the reading before.
  idle_percentage DOUBLE,
  -- Time in the state since the reading before, microseconds.
  total_residency DOUBLE,
  -- Time since the reading before, microseconds.
  time_slice LONG
) AS
SELECT ts, machine_id, state, cpu, min(100.0, residency / time_slice * 100) AS idle_percentage,
  residency AS total_residency, time_slice
FROM _cpu_idle_residency
WHERE time_slice IS NOT NULL
UNION ALL
SELECT ts, machine_id, 'C0', cpu, max(0.0, time_slice - sum(residency)) / time_slice * 100,
  time_slice - sum(residency), time_slice
FROM _cpu_idle_residency
WHERE time_slice IS NOT NULL
GROUP BY ts, machine_id, cpu;

-- Idle states of all CPUs of a machine.
CREATE PERFETTO TABLE linux_cpu_idle_time_in_state_counters(
  -- When sysfs was read, ns of trace time.
  ts TIMESTAMP,
  -- Machine, joins machine.
  machine_id JOINID(machine.id),
  -- Idle state, as C1.
  state STRING,
  -- Percentage of the time of all CPUs since the reading before.
  idle_percentage DOUBLE,
  -- Time of all CPUs in the state since the reading before, microseconds.
  total_residency DOUBLE,
  -- Time of all CPUs since the reading before, microseconds.
  time_slice LONG
) AS
SELECT ts, machine_id, state, min(100.0, residency / time_slice * 100) AS idle_percentage,
  residency AS total_residency, time_slice
FROM (
  -- Not every CPU has every state, but each has C0.
  SELECT ts, machine_id, state, sum(total_residency) AS residency,
    max(sum(time_slice)) OVER (PARTITION BY ts, machine_id) AS time_slice
  FROM linux_per_cpu_idle_time_in_state_counters
  GROUP BY ts, machine_id, state
);
