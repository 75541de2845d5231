-- Whom a frame's jank type blames. A type may name several reasons.

CREATE PERFETTO FUNCTION android_is_sf_jank_type(jank_type STRING) RETURNS BOOL AS
SELECT regexp('SurfaceFlinger ([CG]PU Deadline Missed|Scheduling)|Prediction Error|Display HAL',
  $jank_type);

CREATE PERFETTO FUNCTION android_is_app_jank_type(jank_type STRING) RETURNS BOOL AS
SELECT regexp('App (Deadline Missed|Resynced Jitter)', $jank_type);

CREATE PERFETTO FUNCTION android_is_missed_frame_type(jank_type STRING) RETURNS BOOL AS
SELECT regexp('Dropped Frame', $jank_type) OR android_is_sf_jank_type($jank_type)
  OR android_is_app_jank_type($jank_type);
