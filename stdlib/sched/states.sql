-- Names for the kernel's one-letter thread states.

CREATE PERFETTO FUNCTION _sched_state_letter(letter STRING) RETURNS STRING AS
SELECT CASE $letter
  WHEN 'R' THEN 'Runnable'
  WHEN 'S' THEN 'Sleeping'
  WHEN 'D' THEN 'Uninterruptible Sleep'
  WHEN 'T' THEN 'Stopped'
  WHEN 't' THEN 'Traced'
  WHEN 'X' THEN 'Exit (Dead)'
  WHEN 'Z' THEN 'Exit (Zombie)'
  WHEN 'x' THEN 'Task Dead'
  WHEN 'I' THEN 'Idle'
  WHEN 'K' THEN 'Wake Kill'
  WHEN 'W' THEN 'Waking'
  WHEN 'P' THEN 'Parked'
  WHEN 'N' THEN 'No Load'
  WHEN '+' THEN '(Preempted)'
  ELSE NULL
END;

-- Names of a thread's state: "R+" is "Runnable (Preempted)"; what has no name stays as it is.
CREATE PERFETTO FUNCTION sched_state_to_human_readable_string(
  -- State, as in thread_state.state or sched.end_state.
  short_name STRING
) RETURNS STRING AS
SELECT CASE
  WHEN $short_name IS NULL THEN NULL
  WHEN $short_name IN ('Running', 'Initialized', 'Deferred Ready', 'Transition', 'Stand By',
    'Waiting') THEN $short_name
  WHEN length($short_name) = 1
    THEN coalesce(_sched_state_letter($short_name), $short_name)
  WHEN length($short_name) = 2 AND substr($short_name, 2, 1) = '+'
    THEN coalesce(_sched_state_letter(substr($short_name, 1, 1)) || ' (Preempted)', $short_name)
  ELSE coalesce((
    WITH RECURSIVE letters(at, name) AS (
      SELECT 1, _sched_state_letter(substr($short_name, 1, 1))
      UNION ALL
      SELECT at + 1, name || ', ' || _sched_state_letter(substr($short_name, at + 1, 1))
      FROM letters
      WHERE at < length($short_name)
    )
    SELECT name FROM letters WHERE at = length($short_name)
  ), $short_name)
END;

-- Names of a thread's state, with "(IO)" or "(non-IO)" behind it where that is known.
CREATE PERFETTO FUNCTION sched_state_io_to_human_readable_string(
  -- State, as in thread_state.state.
  sched_state STRING,
  -- Whether the thread waited for input or output, may be NULL.
  io_wait BOOL
) RETURNS STRING AS
SELECT sched_state_to_human_readable_string($sched_state) || CASE $io_wait
  WHEN 1 THEN ' (IO)'
  WHEN 0 THEN ' (non-IO)'
  ELSE ''
END;
