-- Pictures of the screen.

CREATE PERFETTO TABLE android_screenshots(
  id ID(slice.id), ts TIMESTAMP, dur DURATION, name STRING
) AS
SELECT id, ts, dur, name
FROM slice
WHERE name = 'Screenshot' AND category = 'android_screenshot'
  AND extract_arg(arg_set_id, 'screenshot.jpg_image') IS NOT NULL;
