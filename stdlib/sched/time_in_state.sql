-- How much time threads spend in which state.

CREATE PERFETTO TABLE sched_time_in_state_for_thread(
  utid JOINID(thread.id), total_runtime LONG, state STRING, time_in_state LONG,
  percentage_in_state LONG
) AS
WITH states AS (
  SELECT utid, state, sum(dur) AS time_in_state
  FROM thread_state
  WHERE utid > 0 AND dur > 0
  GROUP BY utid, state
)
SELECT utid, sum(time_in_state) OVER (PARTITION BY utid) AS total_runtime, state, time_in_state,
  time_in_state * 100 / sum(time_in_state) OVER (PARTITION BY utid) AS percentage_in_state
FROM states;

-- NULL where a thread never was in a state.
CREATE PERFETTO TABLE sched_percentage_of_time_in_state(
  utid JOINID(thread.id), running LONG, runnable LONG, runnable_preempted LONG, sleeping LONG,
  uninterruptible_sleep LONG, other LONG
) AS
SELECT utid,
  sum(iif(state = 'Running', time_in_state, NULL)) * 100 / total_runtime AS running,
  sum(iif(state = 'R', time_in_state, NULL)) * 100 / total_runtime AS runnable,
  sum(iif(state = 'R+', time_in_state, NULL)) * 100 / total_runtime AS runnable_preempted,
  sum(iif(state = 'S', time_in_state, NULL)) * 100 / total_runtime AS sleeping,
  sum(iif(state = 'D', time_in_state, NULL)) * 100 / total_runtime AS uninterruptible_sleep,
  sum(iif(state NOT IN ('Running', 'R', 'R+', 'S', 'D'), time_in_state, NULL)) * 100
    / total_runtime AS other
FROM sched_time_in_state_for_thread
GROUP BY utid;

-- An unfinished state lasts to the end of the trace.
CREATE PERFETTO MACRO _sched_part_in_interval(start Expr, length Expr) RETURNS Expr AS
(min(iif(dur < 0, trace_end(), ts + dur), $start + $length) - max(ts, $start));

CREATE PERFETTO FUNCTION sched_time_in_state_for_thread_in_interval(
  ts TIMESTAMP, dur DURATION, utid JOINID(thread.id)
) RETURNS TABLE(state STRING, io_wait BOOL, blocked_function LONG, dur DURATION) AS
SELECT state, io_wait, blocked_function, sum(_sched_part_in_interval!($ts, $dur)) AS dur
FROM thread_state
WHERE utid = $utid AND ts < $ts + $dur AND (dur < 0 OR ts + dur > $ts)
GROUP BY state, io_wait, blocked_function
ORDER BY dur DESC;

CREATE PERFETTO FUNCTION sched_time_in_state_and_cpu_for_thread_in_interval(
  ts TIMESTAMP, dur DURATION, utid JOINID(thread.id)
) RETURNS TABLE(state STRING, io_wait BOOL, cpu LONG, blocked_function LONG, dur DURATION) AS
SELECT state, io_wait, cpu, blocked_function, sum(_sched_part_in_interval!($ts, $dur)) AS dur
FROM thread_state
WHERE utid = $utid AND ts < $ts + $dur AND (dur < 0 OR ts + dur > $ts)
GROUP BY state, io_wait, cpu, blocked_function
ORDER BY dur DESC;

CREATE PERFETTO FUNCTION sched_time_in_state_for_cpu_in_interval(
  cpu LONG, ts TIMESTAMP, dur LONG
) RETURNS TABLE(end_state STRING, dur LONG) AS
SELECT end_state, sum(_sched_part_in_interval!($ts, $dur)) AS dur
FROM sched
WHERE cpu = $cpu AND ts < $ts + $dur AND (dur < 0 OR ts + dur > $ts)
GROUP BY end_state;
