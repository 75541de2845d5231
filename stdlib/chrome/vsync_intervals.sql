-- Time from each VSync to the next one of its track. Needs the category Java.

-- Each VSync.
CREATE PERFETTO TABLE chrome_vsync_intervals(
  -- Slice, joins slice.
  slice_id LONG,
  -- When it was, ns of trace time.
  ts TIMESTAMP,
  -- Duration of the slice, ns.
  dur DURATION,
  -- Track, joins track.
  track_id LONG,
  -- From this VSync to the track's next VSync, ns; NULL for the last one.
  time_to_next_vsync LONG
) AS
SELECT id AS slice_id, ts, dur, track_id,
  lead(ts) OVER (PARTITION BY track_id ORDER BY ts) - ts AS time_to_next_vsync
FROM slice
WHERE name = 'VSync'
ORDER BY track_id, ts;

-- Average time between VSyncs in ns; 60 frames a second where nothing is known of it.
CREATE PERFETTO FUNCTION chrome_calculate_avg_vsync_interval(
  -- VSyncs after that count, ns of trace time.
  begin_ts TIMESTAMP,
  -- VSyncs before that count, ns of trace time.
  end_ts TIMESTAMP
) RETURNS DOUBLE AS
SELECT coalesce(avg(time_to_next_vsync), 1e9 / 60)
FROM chrome_vsync_intervals
WHERE ts > $begin_ts AND ts < $end_ts;
