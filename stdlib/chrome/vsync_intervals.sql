-- Time from each VSync to the next one of its track. Needs the category Java.

CREATE PERFETTO TABLE chrome_vsync_intervals(
  slice_id LONG, ts TIMESTAMP, dur DURATION, track_id LONG, time_to_next_vsync LONG
) AS
SELECT id AS slice_id, ts, dur, track_id,
  lead(ts) OVER (PARTITION BY track_id ORDER BY ts) - ts AS time_to_next_vsync
FROM slice
WHERE name = 'VSync'
ORDER BY track_id, ts;

-- In ns; 60 frames a second where nothing is known of the time between.
CREATE PERFETTO FUNCTION chrome_calculate_avg_vsync_interval(
  begin_ts TIMESTAMP, end_ts TIMESTAMP
) RETURNS DOUBLE AS
SELECT coalesce(avg(time_to_next_vsync), 1e9 / 60)
FROM chrome_vsync_intervals
WHERE ts > $begin_ts AND ts < $end_ts;
