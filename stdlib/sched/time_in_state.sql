-- How much time threads spend in which state.

INCLUDE PERFETTO MODULE intervals.intersect;

-- States that do not end count as no time.
CREATE PERFETTO TABLE sched_time_in_state_for_thread(
  utid JOINID(thread.id), total_runtime LONG, state STRING, time_in_state LONG,
  percentage_in_state LONG
) AS
WITH states AS (
  SELECT utid, state, sum(max(dur, 0)) AS time_in_state
  FROM thread_state
  GROUP BY utid, state
)
SELECT utid, sum(time_in_state) OVER by_thread AS total_runtime, state, time_in_state,
  time_in_state * 100 / sum(time_in_state) OVER by_thread AS percentage_in_state
FROM states
WINDOW by_thread AS (PARTITION BY utid);

CREATE PERFETTO MACRO _percentage_in(states Expr) RETURNS Expr AS
sum(iif(state IN $states, time_in_state, NULL)) * 100 / total_runtime;

-- NULL where a thread never was in a state.
CREATE PERFETTO TABLE sched_percentage_of_time_in_state(
  utid JOINID(thread.id), running LONG, runnable LONG, runnable_preempted LONG, sleeping LONG,
  uninterruptible_sleep LONG, other LONG
) AS
SELECT utid, _percentage_in!(('Running')) AS running, _percentage_in!(('R')) AS runnable,
  _percentage_in!(('R+')) AS runnable_preempted, _percentage_in!(('S')) AS sleeping,
  _percentage_in!(('D')) AS uninterruptible_sleep,
  _percentage_in!(('T', 't', 'X', 'Z', 'x', 'I', 'K', 'W', 'P', 'N')) AS other
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

CREATE PERFETTO FUNCTION sched_time_in_state_for_thread_in_interval(
  ts TIMESTAMP, dur DURATION, utid JOINID(thread.id)
) RETURNS TABLE(state STRING, io_wait BOOL, blocked_function LONG, dur DURATION) AS
SELECT state, io_wait, blocked_function, sum(dur) AS dur
FROM _thread_states_in!($ts, $dur, $utid)
GROUP BY state, io_wait, blocked_function
ORDER BY dur DESC;

CREATE PERFETTO FUNCTION sched_time_in_state_and_cpu_for_thread_in_interval(
  ts TIMESTAMP, dur DURATION, utid JOINID(thread.id)
) RETURNS TABLE(state STRING, io_wait BOOL, cpu LONG, blocked_function LONG, dur DURATION) AS
SELECT state, io_wait, cpu, blocked_function, sum(dur) AS dur
FROM _thread_states_in!($ts, $dur, $utid)
GROUP BY state, io_wait, cpu, blocked_function
ORDER BY dur DESC;

CREATE PERFETTO FUNCTION sched_time_in_state_for_cpu_in_interval(
  cpu LONG, ts TIMESTAMP, dur LONG
) RETURNS TABLE(end_state STRING, dur LONG) AS
SELECT end_state, sum(part.dur) AS dur
FROM _interval_intersect_single!($ts, $dur, (
  SELECT id, ts, dur FROM sched WHERE cpu = $cpu AND dur <> -1
)) AS part
JOIN sched USING (id)
GROUP BY end_state;
