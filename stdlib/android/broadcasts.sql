-- Broadcasts that Android's system sent to apps.

INCLUDE PERFETTO MODULE android.freezer;

-- Since Android 14 a queue's track has a slice "QUEUE PID:PROCESS/UID running" for each process, with a slice
-- "RECORD ACTION/USER scheduled" within it for each broadcast.
CREATE PERFETTO TABLE _android_broadcasts_minsdk_u(
  -- What the system calls the broadcast, hexadecimal.
  record_id STRING,
  -- Action of the broadcast.
  intent_action STRING,
  -- Name of the process that received it.
  process_name STRING,
  -- Process id of the operating system.
  pid LONG,
  -- Process that received it.
  upid JOINID(process.id),
  -- What the system calls the queue of the process, hexadecimal.
  process_queue_id STRING,
  -- Number of the queue.
  queue_id LONG,
  -- Slice of the broadcast.
  id JOINID(slice.id),
  -- When it was scheduled.
  ts TIMESTAMP,
  -- How long it took.
  dur DURATION,
  -- Track of the queue.
  track_id JOINID(track.id)
) AS
SELECT
  record_id,
  intent_action,
  process_name,
  pid,
  (
    SELECT max(p.upid) FROM process AS p
    WHERE p.pid = b.pid AND b.ts >= ifnull(p.start_ts, b.ts) AND b.ts <= ifnull(p.end_ts, b.ts)
  ) AS upid,
  process_queue_id,
  queue_id,
  id,
  ts,
  dur,
  track_id
FROM (
  SELECT
    str_split(s.name, ' ', 0) AS record_id,
    str_split(str_split(s.name, '/', 0), ' ', 1) AS intent_action,
    regexp_extract(r.name, '^[^ ]* [^/ :]*:([^/ ]*)') AS process_name,
    CAST(regexp_extract(r.name, '^[^ ]* (\d+)') AS INTEGER) AS pid,
    str_split(r.name, ' ', 0) AS process_queue_id,
    CAST(regexp_extract(t.name, '\[(\d+)') AS INTEGER) AS queue_id,
    s.id, s.ts, s.dur, s.track_id
  FROM slice AS s
  JOIN slice AS r ON r.id = s.parent_id
  JOIN process_track AS t ON t.id = r.track_id
  JOIN process AS p USING (upid)
  WHERE s.name GLOB '* scheduled' AND r.name GLOB '* running'
    AND t.name GLOB 'BroadcastQueue.mRunning*' AND p.name = 'system_server'
) AS b
ORDER BY id;

-- The process in the name of a queue's slice.
CREATE PERFETTO FUNCTION _extract_broadcast_process_name(name STRING) RETURNS LONG AS
SELECT substr(queue, instr(queue, ':') + 1)
FROM (SELECT str_split(str_split($name, '/', 0), ' ', 1) AS queue);
