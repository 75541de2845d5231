-- What made a frame late.

-- The slice right below one that grew the most against the slice of its name below the other one.
CREATE PERFETTO FUNCTION chrome_get_v3_jank_cause_id(
  -- Slice of the late frame.
  janky_slice_id LONG,
  -- Slice of that name of the frame before.
  prev_slice_id LONG
) RETURNS LONG AS
SELECT id
FROM (
  SELECT stage.id, max(stage.dur - coalesce(before.dur, 0))
  FROM slice AS stage
  LEFT JOIN slice AS before ON before.parent_id = $prev_slice_id AND before.name = stage.name
  WHERE stage.parent_id = $janky_slice_id
);
