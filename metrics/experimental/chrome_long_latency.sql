-- Input that Chrome took more than 100 ms to show, and which process was slow.

-- What was shown in the same frame by the same process is one: ts is when it was shown, process_name has no path.
DROP VIEW IF EXISTS long_latency_with_process_info;
CREATE PERFETTO VIEW long_latency_with_process_info AS
SELECT
  ts,
  group_concat(DISTINCT event_type) AS event_type,
  replace(name, rtrim(name, replace(name, '/', '')), '') AS process_name,
  pid AS process_id
FROM (
  SELECT
    s.ts + s.dur AS ts,
    extract_arg(s.arg_set_id, 'debug.event') AS event_type,
    p.name,
    p.pid
  FROM slice AS s
  JOIN process_track AS t ON t.id = s.track_id
  JOIN process AS p USING (upid)
  WHERE s.name = 'EventLatency' AND s.dur > 100000000
)
GROUP BY ts, pid;

-- Tracks of them: one a process, and one of all where there are several.
DROP VIEW IF EXISTS chrome_long_latency_event;
CREATE PERFETTO VIEW chrome_long_latency_event AS
SELECT
  'slice' AS track_type,
  'All Processes' AS track_name,
  ts,
  0 AS dur,
  event_type AS slice_name,
  'Long Latency' AS group_name
FROM long_latency_with_process_info
WHERE (SELECT count(DISTINCT process_id) FROM long_latency_with_process_info) > 1
GROUP BY ts
UNION ALL
SELECT 'slice', process_name || ' ' || process_id, ts, 0, event_type, 'Long Latency'
FROM long_latency_with_process_info
GROUP BY ts;

DROP VIEW IF EXISTS chrome_long_latency_output;
CREATE PERFETTO VIEW chrome_long_latency_output AS
SELECT ChromeLongLatency(
  'long_latency', (
    SELECT RepeatedField(ChromeLongLatency_LongLatency(
      'ts', ts, 'event_type', event_type, 'process_name', process_name, 'pid', process_id))
    FROM (SELECT * FROM long_latency_with_process_info ORDER BY ts, process_id)
  )
) AS message;
