-- Frames that Chrome dropped. A process that is called by the path of its file is called by the file here.
CREATE OR REPLACE PERFETTO VIEW chrome_dropped_frames_output AS
SELECT ChromeDroppedFrames(
  'dropped_frame', (
    SELECT RepeatedField(ChromeDroppedFrames_DroppedFrame(
      'ts', ts, 'process_name', name, 'pid', pid))
    FROM (
      SELECT s.ts, regexp_extract(p.name, '([^/]*)$') AS name, p.pid
      FROM slice AS s
      JOIN args AS a USING (arg_set_id)
      JOIN process_track AS t ON t.id = s.track_id
      JOIN process AS p USING (upid)
      WHERE s.name = 'PipelineReporter' AND a.string_value = 'STATE_DROPPED'
      ORDER BY s.ts
    )
  )
) AS message;
