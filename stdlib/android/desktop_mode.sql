-- Windows of the desktop mode, while they were open.

INCLUDE PERFETTO MODULE android.statsd;

CREATE PERFETTO TABLE _desktop_tasks AS
SELECT ts, extract_arg(arg_set_id, 'desktop_mode_session_task_update.task_event') AS event,
  extract_arg(arg_set_id, 'desktop_mode_session_task_update.instance_id') AS instance_id,
  extract_arg(arg_set_id, 'desktop_mode_session_task_update.session_id') AS session_id,
  extract_arg(arg_set_id, 'desktop_mode_session_task_update.uid') AS uid
FROM android_statsd_atoms
WHERE name = 'desktop_mode_session_task_update';

-- One row per window of the desktop mode. A window without an end was open until the next start of
-- the log, without a start from the beginning of the trace; one that only changed, in any session,
-- was open all the time.
CREATE PERFETTO TABLE android_desktop_mode_windows(
  -- When the window was added; NULL if not in the trace.
  raw_add_ts TIMESTAMP,
  -- When the window was removed; NULL if not in the trace.
  raw_remove_ts TIMESTAMP,
  -- When the window was added, else the beginning of the trace.
  ts TIMESTAMP,
  -- How long the window was open, as far as known.
  dur DURATION,
  -- Number of the window within its session.
  instance_id LONG,
  -- Uid of the app that owns the window.
  uid LONG
) AS
WITH windows AS (
  SELECT instance_id, session_id, min(uid) AS uid,
    min(ts) FILTER (WHERE event = 'TASK_ADDED') AS add_ts,
    max(ts) FILTER (WHERE event = 'TASK_REMOVED') AS remove_ts
  FROM _desktop_tasks
  WHERE event IN ('TASK_ADDED', 'TASK_REMOVED', 'TASK_INFO_CHANGED')
  GROUP BY instance_id, session_id
)
SELECT add_ts AS raw_add_ts, remove_ts AS raw_remove_ts, coalesce(add_ts, trace_start()) AS ts,
  coalesce(remove_ts, (
    SELECT min(r.ts)
    FROM _desktop_tasks AS r
    WHERE r.event = 'TASK_INIT_STATSD' AND r.ts > w.add_ts
  ), trace_end()) - coalesce(add_ts, trace_start()) AS dur, instance_id, uid
FROM windows AS w
WHERE add_ts IS NOT NULL OR remove_ts IS NOT NULL OR instance_id NOT IN (
  SELECT instance_id
  FROM windows
  WHERE add_ts IS NOT NULL OR remove_ts IS NOT NULL
)
ORDER BY add_ts, remove_ts, ts, dur, instance_id;
