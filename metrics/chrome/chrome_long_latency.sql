-- When Chrome showed what input had asked for more than 100 ms ago. Events of a process that were shown at once are one; a
-- process that is called by the path of its file is called by the file here.
CREATE OR REPLACE PERFETTO VIEW chrome_long_latency_output AS
SELECT ChromeLongLatency(
  'long_latency', (
    SELECT RepeatedField(ChromeLongLatency_LongLatency(
      'ts', shown_ts, 'event_type', types, 'process_name', name, 'pid', pid))
    FROM (
      SELECT
        s.ts + s.dur AS shown_ts,
        group_concat(DISTINCT extract_arg(s.arg_set_id, 'debug.event')) AS types,
        regexp_extract(p.name, '([^/]*)$') AS name,
        p.pid
      FROM slice AS s
      JOIN process_track AS t ON t.id = s.track_id
      JOIN process AS p USING (upid)
      WHERE s.name = 'EventLatency' AND s.dur > 100000000
      GROUP BY shown_ts, p.pid
      ORDER BY shown_ts, p.pid
    )
  )
) AS message;
