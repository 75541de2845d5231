-- When scrolls waited for late frames.

INCLUDE PERFETTO MODULE chrome.chrome_scrolls;
INCLUDE PERFETTO MODULE chrome.scroll_jank.scroll_jank_v3;
INCLUDE PERFETTO MODULE intervals.overlap;

-- Each late frame with the wait for it (`frame_jank_*`), which ends when the frame is shown.
CREATE PERFETTO TABLE chrome_janky_event_latencies_v3(
  -- EventLatency slice, joins slice.
  id LONG,
  -- Start, ns of trace time.
  ts TIMESTAMP,
  -- Duration, ns.
  dur DURATION,
  -- Track, joins track.
  track_id LONG,
  -- Name of the slice.
  name STRING,
  -- Stage of the EventLatency that took longer.
  cause_of_jank STRING,
  -- Part of that stage that took longer.
  sub_cause_of_jank STRING,
  -- Frames that should have been shown meanwhile.
  delayed_frame_count LONG,
  -- When the frame should have been shown.
  frame_jank_ts TIMESTAMP,
  -- From the time it should have been shown until it was, ns.
  frame_jank_dur LONG
) AS
SELECT s.id, s.ts, s.dur, s.track_id, s.name, frame.cause_of_jank, frame.sub_cause_of_jank,
  CAST(delay_since_last_frame / vsync_interval - 1 AS INTEGER) AS delayed_frame_count,
  CAST(s.ts + s.dur - (delay_since_last_frame - vsync_interval) * 1e6 AS INTEGER) AS frame_jank_ts,
  CAST((delay_since_last_frame - vsync_interval) * 1e6 AS INTEGER) AS frame_jank_dur
FROM chrome_janky_frames AS frame
JOIN slice AS s ON s.id = frame.event_latency_id;

-- The waits for late frames.
CREATE PERFETTO VIEW chrome_janky_frame_presentation_intervals(
  -- Number of the row.
  id LONG,
  -- Start, ns of trace time.
  ts TIMESTAMP,
  -- Duration, ns.
  dur DURATION,
  -- Frames that should have been shown meanwhile.
  delayed_frame_count LONG,
  -- Stage of the EventLatency that took longer.
  cause_of_jank STRING,
  -- Part of that stage that took longer.
  sub_cause_of_jank STRING,
  -- EventLatency slice, joins chrome_event_latencies.
  event_latency_id LONG
) AS
SELECT row_number() OVER (ORDER BY frame_jank_ts) AS id, frame_jank_ts AS ts,
  frame_jank_dur AS dur, delayed_frame_count, cause_of_jank, sub_cause_of_jank,
  id AS event_latency_id
FROM chrome_janky_event_latencies_v3;

-- Frames that should have been shown, and those that were, of each scroll.
CREATE PERFETTO TABLE chrome_scroll_stats(
  -- Scroll, joins chrome_scrolls.
  scroll_id LONG,
  -- Frames that should have been shown.
  frame_count LONG,
  -- VSyncs without a frame, NULL if none.
  missed_vsyncs LONG,
  -- Frames that were shown.
  presented_frame_count LONG,
  -- Frames that came late.
  janky_frame_count LONG,
  -- Percentage of late frames among those shown, two decimals.
  janky_frame_percent DOUBLE
) AS
SELECT shown.scroll_id, shown.frames + coalesce(missed.vsyncs, 0) AS frame_count,
  missed.vsyncs AS missed_vsyncs, stat.num_frames AS presented_frame_count,
  coalesce(stat.num_janky_frames, 0) AS janky_frame_count,
  round(coalesce(stat.scroll_jank_percentage, 0), 2) AS janky_frame_percent
FROM (
  SELECT scroll.id AS scroll_id, count(*) AS frames
  FROM chrome_scrolls AS scroll
  JOIN chrome_unique_frame_presentation_ts AS frame
    ON frame.presentation_timestamp BETWEEN scroll.ts AND scroll.ts + scroll.dur
  GROUP BY scroll.id
) AS shown
LEFT JOIN (
  SELECT scroll_id, CAST(sum(delay_since_last_frame / vsync_interval - 1) AS INTEGER) AS vsyncs
  FROM chrome_janky_frames
  GROUP BY scroll_id
) AS missed USING (scroll_id)
LEFT JOIN chrome_frames_per_scroll AS stat USING (scroll_id);

-- The waits, joined where they overlap.
CREATE PERFETTO TABLE chrome_scroll_jank_intervals_v3(
  -- Number of the row.
  id LONG,
  -- Start, ns of trace time.
  ts TIMESTAMP,
  -- Duration, ns.
  dur DURATION
) AS
SELECT row_number() OVER (ORDER BY ts) AS id, ts, dur
FROM interval_merge_overlapping!((
  SELECT frame_jank_ts AS ts, frame_jank_dur AS dur FROM chrome_janky_event_latencies_v3
), 1);
