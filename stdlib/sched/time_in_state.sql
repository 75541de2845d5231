-- How much time threads spend in which state.

INCLUDE PERFETTO MODULE intervals.intersect;

-- A state that does not end has a duration of -1, and is counted as that.
CREATE PERFETTO TABLE sched_time_in_state_for_thread(
  -- Thread, joins thread.
  utid JOINID(thread.id),
  -- Time in all states, ns.
  total_runtime LONG,
  -- State, as in thread_state.
  state STRING,
  -- Time in this state, ns.
  time_in_state LONG,
  -- Percentage of total_runtime, rounded down.
  percentage_in_state LONG
) AS
WITH states AS (
  SELECT utid, state, sum(dur) AS time_in_state
  FROM thread_state
  GROUP BY utid, state
)
SELECT utid, sum(time_in_state) OVER by_thread AS total_runtime, state, time_in_state,
  time_in_state * 100 / sum(time_in_state) OVER by_thread AS percentage_in_state
FROM states
WINDOW by_thread AS (PARTITION BY utid);

CREATE PERFETTO MACRO _case_for_state(state Expr) RETURNS Expr AS
max(iif(state = $state, percentage_in_state, NULL));

-- Percentages of each thread's time by state, rounded down; NULL where it never was in a state.
CREATE PERFETTO TABLE sched_percentage_of_time_in_state(
  -- Thread, joins thread.
  utid JOINID(thread.id),
  -- On a CPU.
  running LONG,
  -- Waiting for a CPU (R).
  runnable LONG,
  -- Waiting for a CPU after another thread took it (R+).
  runnable_preempted LONG,
  -- Sleeping, can be interrupted (S).
  sleeping LONG,
  -- Sleeping, cannot be interrupted (D).
  uninterruptible_sleep LONG,
  -- Stopped, traced, dead, idle, parked and the like.
  other LONG
) AS
SELECT utid, _case_for_state!('Running') AS running, _case_for_state!('R') AS runnable,
  _case_for_state!('R+') AS runnable_preempted, _case_for_state!('S') AS sleeping,
  _case_for_state!('D') AS uninterruptible_sleep,
  sum(iif(state IN ('T', 't', 'X', 'Z', 'x', 'I', 'K', 'W', 'P', 'N'), time_in_state, NULL)) * 100
    / total_runtime AS other
FROM sched_time_in_state_for_thread
GROUP BY utid;

-- What of a thread's states that have an end lies between `ts` and `ts + dur`.
CREATE PERFETTO MACRO _thread_states_in(ts Expr, dur Expr, utid Expr) RETURNS TableOrSubquery AS (
  SELECT state, io_wait, cpu, blocked_function, part.dur
  FROM _interval_intersect_single!($ts, $dur, (
    SELECT id, ts, dur FROM thread_state WHERE utid = $utid AND dur > 0
  )) AS part
  JOIN thread_state USING (id)
);

-- How long a thread was in which state between `ts` and `ts + dur`.
CREATE PERFETTO FUNCTION sched_time_in_state_for_thread_in_interval(
  -- Start of the interval, ns of trace time.
  ts TIMESTAMP,
  -- Length of the interval, ns.
  dur DURATION,
  -- Thread, joins thread.
  utid JOINID(thread.id)
) RETURNS TABLE(
  -- State, as in thread_state.
  state STRING,
  -- 1 if the thread waited for input or output.
  io_wait BOOL,
  -- Kernel function in which the thread slept, by name.
  blocked_function LONG,
  -- Time in the state, ns.
  dur DURATION
) AS
SELECT state, io_wait, blocked_function, sum(dur) AS dur
FROM _thread_states_in!($ts, $dur, $utid)
GROUP BY state, io_wait, blocked_function
ORDER BY dur DESC;

-- How long a thread was in which state, and on which CPU, between `ts` and `ts + dur`.
CREATE PERFETTO FUNCTION sched_time_in_state_and_cpu_for_thread_in_interval(
  -- Start of the interval, ns of trace time.
  ts TIMESTAMP,
  -- Length of the interval, ns.
  dur DURATION,
  -- Thread, joins thread.
  utid JOINID(thread.id)
) RETURNS TABLE(
  -- State, as in thread_state.
  state STRING,
  -- 1 if the thread waited for input or output.
  io_wait BOOL,
  -- CPU number, NULL where the thread was not running.
  cpu LONG,
  -- Kernel function in which the thread slept, by name.
  blocked_function LONG,
  -- Time in the state, ns.
  dur DURATION
) AS
SELECT state, io_wait, cpu, blocked_function, sum(dur) AS dur
FROM _thread_states_in!($ts, $dur, $utid)
GROUP BY state, io_wait, cpu, blocked_function
ORDER BY dur DESC;

-- How long a CPU ran threads between `ts` and `ts + dur`, by how they left it.
CREATE PERFETTO FUNCTION sched_time_in_state_for_cpu_in_interval(
  -- CPU number.
  cpu LONG,
  -- Start of the interval, ns of trace time.
  ts TIMESTAMP,
  -- Length of the interval, ns.
  dur LONG
) RETURNS TABLE(
  -- State in which the threads left the CPU, as in sched.
  end_state STRING,
  -- Time that they ran, ns.
  dur LONG
) AS
SELECT end_state, sum(part.dur) AS dur
FROM _interval_intersect_single!($ts, $dur, (
  SELECT id, ts, dur FROM sched WHERE cpu = $cpu AND dur <> -1
)) AS part
JOIN sched USING (id)
GROUP BY end_state;
