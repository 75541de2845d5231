-- Time between the frames that Chrome's display shows, in ms.
CREATE OR REPLACE PERFETTO TABLE _shown_frame AS
SELECT (ts - lag(ts) OVER (ORDER BY ts)) / 1e6 AS ms
FROM slice
WHERE name IN ('Display::FrameDisplayed', 'DisplayScheduler:pending_swaps')
ORDER BY ts;

CREATE OR REPLACE PERFETTO VIEW frame_times_output AS
SELECT FrameTimes(
  'frame_time', (SELECT RepeatedField(ms) FROM _shown_frame WHERE ms IS NOT NULL),
  'avg_surface_fps', (SELECT 1e3 * count(ms) / nullif(sum(ms), 0) FROM _shown_frame)
) AS message;
