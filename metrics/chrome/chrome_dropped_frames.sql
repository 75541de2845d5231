-- Frames that Chrome dropped where people could see it.
CREATE OR REPLACE PERFETTO VIEW chrome_dropped_frames_output AS
SELECT ChromeDroppedFrames(
  'dropped_frame', (
    SELECT RepeatedField(ChromeDroppedFrames_DroppedFrame(
      'ts', ts, 'process_name', name, 'pid', pid))
    FROM (
      SELECT s.ts, p.name, p.pid
      FROM slice AS s
      LEFT JOIN thread_track AS t ON t.id = s.track_id
      LEFT JOIN thread AS th USING (utid)
      LEFT JOIN process_track AS pt ON pt.id = s.track_id
      LEFT JOIN process AS p ON p.upid = ifnull(th.upid, pt.upid)
      WHERE s.name = 'PipelineReporter'
        AND extract_arg(s.arg_set_id, 'chrome_frame_reporter.state') = 'STATE_DROPPED'
        AND extract_arg(s.arg_set_id, 'chrome_frame_reporter.affects_smoothness')
      ORDER BY s.ts
    )
  )
) AS message;
