-- What a thread did during a slice, by the innermost slice of each time.

INCLUDE PERFETTO MODULE slices.flat_slices;

CREATE VIRTUAL TABLE _slice_flattened_state USING SPAN_JOIN(
  _slice_flattened PARTITIONED utid, thread_state PARTITIONED utid);

-- States of the slice's thread during the slice, or of a thread during all of its slices.
CREATE PERFETTO FUNCTION _get_flattened_thread_state(
  -- The slice; NULL for all of the thread.
  slice_id JOINID(slice.id),
  -- The thread; NULL for that of the slice.
  utid JOINID(thread.id)
) RETURNS TABLE(
  ts TIMESTAMP, dur DURATION, utid JOINID(thread.id), depth LONG, name STRING,
  slice_id JOINID(slice.id), track_id JOINID(track.id), cpu LONG, state STRING, io_wait LONG,
  blocked_function STRING, waker_utid JOINID(thread.id), irq_context LONG
) AS
WITH wanted AS (
  SELECT s.track_id, s.ts, s.ts + s.dur AS ts_end
  FROM slice AS s
  JOIN thread_track AS t ON t.id = s.track_id
  WHERE ($slice_id IS NULL OR s.id = $slice_id) AND ($utid IS NULL OR t.utid = $utid)
  LIMIT 1
)
SELECT part.ts, part.dur, utid, depth, name, slice_id, part.track_id, cpu, state, io_wait,
  blocked_function, waker_utid, irq_context
FROM wanted
JOIN _slice_flattened_state AS part
WHERE part.track_id = wanted.track_id AND part.ts >= wanted.ts AND part.ts < wanted.ts_end;

-- The same summed: of each slice, the time in each state. D is told apart by what it waited for.
CREATE PERFETTO FUNCTION _get_flattened_thread_state_aggregated(
  -- The slice; NULL for all of the thread.
  slice_id JOINID(slice.id),
  -- The thread; NULL for that of the slice.
  utid JOINID(thread.id)
) RETURNS TABLE(
  slice_id JOINID(slice.id), slice_name STRING, uninterruptible_sleep_nonio LONG,
  uninterruptible_sleep_io LONG, runnable LONG, sleeping LONG, stopped LONG, traced LONG,
  exit_dead LONG, exit_zombie LONG, task_dead LONG, wake_kill LONG, waking LONG, parked LONG,
  no_load LONG, runnable_preempted LONG, running LONG, idle LONG, dur DURATION, depth LONG
) AS
SELECT slice_id, name AS slice_name,
  sum(dur) FILTER (WHERE state = 'D' AND io_wait = 0) AS uninterruptible_sleep_nonio,
  sum(dur) FILTER (WHERE state = 'D' AND io_wait = 1) AS uninterruptible_sleep_io,
  sum(dur) FILTER (WHERE state = 'R') AS runnable,
  sum(dur) FILTER (WHERE state = 'S') AS sleeping,
  sum(dur) FILTER (WHERE state = 'T') AS stopped,
  sum(dur) FILTER (WHERE state = 't') AS traced,
  sum(dur) FILTER (WHERE state = 'X') AS exit_dead,
  sum(dur) FILTER (WHERE state = 'Z') AS exit_zombie,
  sum(dur) FILTER (WHERE state = 'x') AS task_dead,
  sum(dur) FILTER (WHERE state = 'K') AS wake_kill,
  sum(dur) FILTER (WHERE state = 'W') AS waking,
  sum(dur) FILTER (WHERE state = 'P') AS parked,
  sum(dur) FILTER (WHERE state = 'N') AS no_load,
  sum(dur) FILTER (WHERE state = 'R+') AS runnable_preempted,
  sum(dur) FILTER (WHERE state = 'Running') AS running,
  sum(dur) FILTER (WHERE state = 'I') AS idle,
  sum(dur) AS dur,
  depth
FROM _get_flattened_thread_state($slice_id, $utid)
GROUP BY slice_id;
