-- How many threads can run, are blocked, or run, from each change on.

INCLUDE PERFETTO MODULE intervals.overlap;

-- Threads that wait for a CPU.
CREATE PERFETTO TABLE sched_runnable_thread_count(
  -- When the number changes, ns of trace time.
  ts TIMESTAMP,
  -- Threads in state R from `ts` on; those that were preempted (R+) do not count.
  runnable_thread_count LONG
) AS
SELECT ts, value AS runnable_thread_count
FROM intervals_overlap_count!(
  (SELECT ts, dur FROM thread_state WHERE state = 'R'), ts, dur);

-- Threads in uninterruptible sleep.
CREATE PERFETTO TABLE sched_uninterruptible_sleep_thread_count(
  -- When the number changes, ns of trace time.
  ts TIMESTAMP,
  -- Threads in state D from `ts` on.
  uninterruptible_sleep_thread_count LONG
) AS
SELECT ts, value AS uninterruptible_sleep_thread_count
FROM intervals_overlap_count!((SELECT ts, dur FROM thread_state WHERE state = 'D'), ts, dur);

-- CPUs that run something else than their idle thread.
CREATE PERFETTO TABLE sched_active_cpu_count(
  -- When the number changes, ns of trace time.
  ts TIMESTAMP,
  -- Busy CPUs from `ts` on.
  active_cpu_count LONG
) AS
SELECT ts, value AS active_cpu_count
FROM intervals_overlap_count!(
  (SELECT ts, dur FROM sched WHERE utid NOT IN (SELECT utid FROM thread WHERE is_idle)), ts, dur);
