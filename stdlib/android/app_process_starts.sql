-- Processes that were started for an app, and what for.

INCLUDE PERFETTO MODULE slices.with_context;

-- What an app's thread does next after bindApplication is what its process was started for.
CREATE PERFETTO TABLE _bind_applications AS
SELECT id, ts, dur, track_id, upid, pid, process_name, lead(id) OVER by_track AS intent_id,
  name = 'bindApplication' AS is_bind
FROM thread_slice
WHERE name = 'bindApplication' OR name GLOB 'performCreate:*' OR name GLOB 'serviceCreate:*'
  OR name GLOB 'broadcastReceiveComp:*'
WINDOW by_track AS (PARTITION BY track_id ORDER BY ts);

-- One row per start of an app's process, from the request in system_server to what it was started
-- for. The last start of a process with this name before it; a process without an intent was
-- started for a content provider.
CREATE PERFETTO TABLE android_app_process_starts(
  -- The slice of bindApplication (joins slice.id).
  start_id LONG,
  -- The slice of `intent` (joins slice.id); NULL if a content provider was the reason.
  id LONG,
  -- Track of the main thread.
  track_id JOINID(track.id),
  -- Name of the started process.
  process_name STRING,
  -- Pid of the process.
  pid LONG,
  -- The started process.
  upid JOINID(process.id),
  -- What was created or received first: the activity, service or receiver, from the slice's name.
  intent STRING,
  -- Kind of component: `activity`, `service`, `broadcast` or `provider`.
  reason STRING,
  -- When system_server began to start the process.
  proc_start_ts TIMESTAMP,
  -- How long the slice `Start proc:` in system_server lasted.
  proc_start_dur DURATION,
  -- When bindApplication began.
  bind_app_ts TIMESTAMP,
  -- How long bindApplication lasted.
  bind_app_dur DURATION,
  -- When the slice of `intent` began.
  intent_ts TIMESTAMP,
  -- How long the slice of `intent` lasted.
  intent_dur DURATION,
  -- Time in ns from `proc_start_ts` to the end of the intent's slice, of bindApplication without
  -- one.
  total_dur LONG
) AS
SELECT b.id AS start_id, i.id, i.track_id, b.process_name, b.pid, b.upid,
  CASE
    WHEN i.name GLOB 'serviceCreate:*' THEN coalesce(regexp_extract(i.name, 'className=([^ ]+)'),
      str_split(str_split(i.name, '=', 2), ' ', 0))
    ELSE substr(i.name, instr(i.name, ':') + 1)
  END AS intent,
  CASE
    WHEN i.name IS NULL THEN 'provider'
    WHEN i.name GLOB 'performCreate:*' THEN 'activity'
    WHEN i.name GLOB 'serviceCreate:*' THEN 'service'
    ELSE 'broadcast'
  END AS reason,
  s.ts AS proc_start_ts, s.dur AS proc_start_dur, b.ts AS bind_app_ts, b.dur AS bind_app_dur,
  i.ts AS intent_ts, i.dur AS intent_dur, coalesce(i.ts + i.dur, b.ts + b.dur) - s.ts AS total_dur
FROM _bind_applications AS b
LEFT JOIN slice AS i ON i.id = b.intent_id AND i.name <> 'bindApplication'
JOIN thread_slice AS s ON s.name GLOB 'Start proc:*' AND s.process_name = 'system_server'
  AND trim(substr(s.name, length('Start proc:') + 1)) = b.process_name AND s.ts < b.ts
WHERE b.is_bind
GROUP BY b.id
HAVING max(s.ts) IS NOT NULL;

-- The parts of these: requests of system_server, and what a thread did next after bindApplication.
CREATE PERFETTO VIEW _proc_start AS
SELECT ts, dur, trim(substr(name, length('Start proc:') + 1)) AS process_name
FROM thread_slice
WHERE name GLOB 'Start proc:*' AND thread_slice.process_name = 'system_server';

CREATE PERFETTO TABLE _cold_start AS
SELECT *
FROM (
  SELECT id, ts AS intent_ts, dur AS intent_dur, track_id, name, upid, process_name, pid, utid,
    CASE str_split(name, ':', 0)
      WHEN 'performCreate' THEN 'activity'
      WHEN 'serviceCreate' THEN 'service'
      WHEN 'broadcastReceiveComp' THEN 'broadcast'
    END AS reason,
    CASE str_split(name, ':', 0)
      WHEN 'performCreate' THEN str_split(name, 'performCreate:', 1)
      WHEN 'serviceCreate' THEN str_split(str_split(name, '=', 2), ' ', 0)
      WHEN 'broadcastReceiveComp' THEN str_split(name, 'broadcastReceiveComp:', 1)
    END AS intent,
    lag(name) OVER by_track AS bind_app_name, lag(ts) OVER by_track AS bind_app_ts,
    lag(dur) OVER by_track AS bind_app_dur, lag(id) OVER by_track AS bind_app_id
  FROM thread_slice
  WHERE name = 'bindApplication' OR name GLOB 'performCreate:*' OR name GLOB 'serviceCreate:*'
    OR name GLOB 'broadcastReceiveComp:*'
  WINDOW by_track AS (PARTITION BY track_id ORDER BY ts)
)
WHERE bind_app_name = 'bindApplication';

CREATE PERFETTO VIEW _provider_start AS
SELECT id AS bind_app_id, *
FROM thread_slice
WHERE name = 'bindApplication' AND id NOT IN (SELECT bind_app_id FROM _cold_start);

-- With the last request for a process of that name.
CREATE PERFETTO VIEW _cold_proc_start AS
SELECT s.*, max(request.ts) AS proc_start_ts, request.dur AS proc_start_dur,
  s.intent_ts - max(request.ts) + s.intent_dur AS total_dur
FROM _cold_start AS s
JOIN _proc_start AS request
  ON request.process_name = s.process_name AND request.ts < s.intent_ts
GROUP BY s.upid;

CREATE PERFETTO VIEW _provider_proc_start AS
SELECT s.*, max(request.ts) AS proc_start_ts, request.dur AS proc_start_dur,
  s.ts - max(request.ts) + s.dur AS total_dur
FROM _provider_start AS s
JOIN _proc_start AS request ON request.process_name = s.process_name AND request.ts < s.ts
GROUP BY s.upid;
