-- Input that Chrome took more than 100 ms to show.
CREATE OR REPLACE PERFETTO VIEW chrome_long_latency_output AS
SELECT ChromeLongLatency(
  'long_latency', (
    SELECT RepeatedField(ChromeLongLatency_LongLatency(
      'ts', ts, 'event_type', type, 'process_name', name, 'pid', pid))
    FROM (
      SELECT
        s.ts + s.dur AS ts,
        coalesce(
          extract_arg(s.arg_set_id, 'event_latency.event_type'), str_split(s.name, '::', 1)) AS type,
        p.name,
        p.pid
      FROM slice AS s
      LEFT JOIN thread_track AS t ON t.id = s.track_id
      LEFT JOIN thread AS th USING (utid)
      LEFT JOIN process_track AS pt ON pt.id = s.track_id
      LEFT JOIN process AS p ON p.upid = ifnull(th.upid, pt.upid)
      WHERE (s.name GLOB 'InputLatency::*' OR s.name = 'EventLatency') AND s.dur > 100000000
      ORDER BY s.ts
    )
  )
) AS message;
