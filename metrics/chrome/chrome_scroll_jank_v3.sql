-- Janky frames of Chrome's scrolls and what delayed them.
INCLUDE PERFETTO MODULE chrome.scroll_jank.scroll_jank_v3;

CREATE OR REPLACE PERFETTO VIEW _scroll_causes AS
SELECT
  scroll_id,
  max(delay_since_last_frame) AS max_delay,
  RepeatedField(ChromeScrollJankV3_Scroll_ScrollJankCause(
    'cause', cause_of_jank,
    'sub_cause', sub_cause_of_jank,
    'delay_since_last_frame', delay_since_last_frame)) AS causes
FROM chrome_janky_frames
GROUP BY scroll_id;

CREATE OR REPLACE PERFETTO VIEW chrome_scroll_jank_v3_output AS
SELECT ChromeScrollJankV3(
  'trace_num_frames', (SELECT count(*) FROM chrome_unique_frame_presentation_ts),
  'trace_num_janky_frames', (SELECT count(*) FROM chrome_janky_frames),
  'trace_scroll_jank_percentage', (
    SELECT CAST(delayed_frame_percentage AS DOUBLE) FROM chrome_janky_frames_percentage
    WHERE EXISTS (SELECT 1 FROM chrome_unique_frame_presentation_ts)
  ),
  'vsync_interval_ms', (SELECT max(vsync_interval) FROM chrome_vsyncs),
  'scrolls', (
    SELECT RepeatedField(ChromeScrollJankV3_Scroll(
      'num_frames', s.num_frames,
      'num_janky_frames', s.num_janky_frames,
      'scroll_jank_percentage', CAST(s.scroll_jank_percentage AS DOUBLE),
      'max_delay_since_last_frame', c.max_delay,
      'scroll_jank_causes', c.causes))
    FROM chrome_frames_per_scroll AS s
    LEFT JOIN _scroll_causes AS c USING (scroll_id)
    WHERE s.num_janky_frames > 0
  )
) AS message;
