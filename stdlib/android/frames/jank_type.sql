-- Whom a frame's jank type blames. A type may name several reasons.

-- Whether a jank type blames SurfaceFlinger or what is below it.
CREATE PERFETTO FUNCTION android_is_sf_jank_type(
  -- As in actual_frame_timeline_slice.jank_type: reasons with commas between.
  jank_type STRING
)
-- TRUE if one of the reasons is SurfaceFlinger's.
RETURNS BOOL AS
SELECT regexp('SurfaceFlinger ([CG]PU Deadline Missed|Scheduling)|Prediction Error|Display HAL',
  $jank_type);

-- Whether a jank type blames the app.
CREATE PERFETTO FUNCTION android_is_app_jank_type(
  -- As in actual_frame_timeline_slice.jank_type: reasons with commas between.
  jank_type STRING
)
-- TRUE if one of the reasons is the app's.
RETURNS BOOL AS
SELECT regexp('App (Deadline Missed|Resynced Jitter)', $jank_type);

-- Whether a frame of this jank type was missed at all: dropped, or late by the fault of either
-- side.
CREATE PERFETTO FUNCTION android_is_missed_frame_type(
  -- As in actual_frame_timeline_slice.jank_type: reasons with commas between.
  jank_type STRING
)
-- TRUE if one of the reasons counts as missed.
RETURNS BOOL AS
SELECT regexp('Dropped Frame', $jank_type) OR android_is_sf_jank_type($jank_type)
  OR android_is_app_jank_type($jank_type);
