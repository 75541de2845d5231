-- Pictures of the screen.

-- One row per screenshot whose picture is in the trace.
CREATE PERFETTO TABLE android_screenshots(
  -- The slice, among whose args the picture is.
  id ID(slice.id),
  -- When the screenshot was taken.
  ts TIMESTAMP,
  -- Duration of the slice.
  dur DURATION,
  -- Name of the slice, `Screenshot`.
  name STRING
) AS
SELECT id, ts, dur, name
FROM slice
WHERE name = 'Screenshot' AND category = 'android_screenshot'
  AND extract_arg(arg_set_id, 'screenshot.jpg_image') IS NOT NULL;
