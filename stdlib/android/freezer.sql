-- Apps that the system froze, until it let them run again.

-- What the system writes as a number.
CREATE PERFETTO TABLE _unfreeze_reasons AS
SELECT column1 AS reason, column2 AS name
FROM (VALUES (0, 'none'), (1, 'activity'), (2, 'finish_receiver'), (3, 'start_receiver'),
  (4, 'bind_service'), (5, 'unbind_service'), (6, 'start_service'), (7, 'get_provider'),
  (8, 'remove_provider'), (9, 'ui_visibility'), (10, 'allowlist'), (11, 'process_begin'),
  (12, 'process_end'), (13, 'trim_memory'), (15, 'ping'), (16, 'file_locks'),
  (17, 'file_lock_check_failure'), (18, 'binder_txns'), (19, 'feature_flags'),
  (20, 'short_fgs_timeout'), (21, 'system_init'), (22, 'backup'), (23, 'shell'),
  (24, 'remove_task'), (25, 'uid_idle'), (26, 'stop_service'), (27, 'executing_service'),
  (28, 'restriction_change'), (29, 'component_disabled'));

CREATE PERFETTO FUNCTION _translate_unfreeze_reason(reason LONG) RETURNS STRING AS
SELECT name FROM _unfreeze_reasons WHERE reason = $reason;

-- The pid in the name of such a slice.
CREATE PERFETTO FUNCTION _extract_freezer_pid(name STRING) RETURNS LONG AS
SELECT CAST(regexp_extract(str_split($name, ' ', 1), '([^:]*)$') AS INTEGER);

-- The process that had a pid at a time, the newest where that is not known.
CREATE PERFETTO FUNCTION _pid_to_upid(pid LONG, event_ts TIMESTAMP) RETURNS LONG AS
SELECT max(upid)
FROM process
WHERE pid = $pid AND $event_ts BETWEEN coalesce(start_ts, trace_start())
  AND coalesce(end_ts, trace_end());

-- The slices are called "Freeze NAME:PID" and "Unfreeze NAME:PID REASON". A pid that was used again
-- is that of the process alive at the time, of the newest where that is not known.
CREATE PERFETTO TABLE _freezes AS
WITH events AS (
  SELECT ts, name GLOB 'Freeze*' AS is_freeze,
    CAST(regexp_extract(name, ':(\d+)( \d+)?$') AS INTEGER) AS pid,
    CAST(regexp_extract(name, ':\d+ (\d+)$') AS INTEGER) AS reason
  FROM slice
  WHERE name GLOB 'Freeze *:*' OR name GLOB 'Unfreeze *:*'
)
SELECT e.ts, e.is_freeze, e.pid, e.reason, max(p.upid) AS upid
FROM events AS e
JOIN process AS p ON p.pid = e.pid AND e.ts >= coalesce(p.start_ts, e.ts)
  AND e.ts <= coalesce(p.end_ts, e.ts)
GROUP BY e.ts, e.pid, e.is_freeze;

-- One row per time that a process was frozen.
CREATE PERFETTO TABLE android_freezer_events(
  -- The process.
  upid JOINID(process.id),
  -- Pid of the process.
  pid LONG,
  -- When the process was frozen.
  ts TIMESTAMP,
  -- Time until the process was unfrozen, until the end of the trace if it was not.
  dur DURATION,
  -- Number of the reason to unfreeze the process; NULL if not traced.
  unfreeze_reason_int LONG,
  -- Name of the reason to unfreeze the process; NULL for numbers without one.
  unfreeze_reason_str STRING
) AS
SELECT e.upid, e.pid, e.ts, e.next_ts - e.ts AS dur, e.next_reason AS unfreeze_reason_int,
  r.name AS unfreeze_reason_str
FROM (
  SELECT *, coalesce(lead(ts) OVER by_process, trace_end()) AS next_ts,
    lead(reason) OVER by_process AS next_reason
  FROM _freezes
  WINDOW by_process AS (PARTITION BY upid ORDER BY ts)
) AS e
LEFT JOIN _unfreeze_reasons AS r ON r.reason = e.next_reason
WHERE e.is_freeze
ORDER BY e.ts;
