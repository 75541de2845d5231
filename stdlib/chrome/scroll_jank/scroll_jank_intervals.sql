-- When scrolls waited for late frames.

INCLUDE PERFETTO MODULE chrome.chrome_scrolls;
INCLUDE PERFETTO MODULE chrome.scroll_jank.scroll_jank_v3;
INCLUDE PERFETTO MODULE intervals.overlap;

-- The wait (`frame_jank_*`) ends when the frame is shown.
CREATE PERFETTO TABLE chrome_janky_event_latencies_v3(
  id LONG, ts TIMESTAMP, dur DURATION, track_id LONG, name STRING, cause_of_jank STRING,
  sub_cause_of_jank STRING, delayed_frame_count LONG, frame_jank_ts TIMESTAMP, frame_jank_dur LONG
) AS
SELECT s.id, s.ts, s.dur, s.track_id, s.name, frame.cause_of_jank, frame.sub_cause_of_jank,
  CAST(delay_since_last_frame / vsync_interval - 1 AS INTEGER) AS delayed_frame_count,
  CAST(s.ts + s.dur - (delay_since_last_frame - vsync_interval) * 1e6 AS INTEGER) AS frame_jank_ts,
  CAST((delay_since_last_frame - vsync_interval) * 1e6 AS INTEGER) AS frame_jank_dur
FROM chrome_janky_frames AS frame
JOIN slice AS s ON s.id = frame.event_latency_id;

CREATE PERFETTO VIEW chrome_janky_frame_presentation_intervals(
  id LONG, ts TIMESTAMP, dur DURATION, delayed_frame_count LONG, cause_of_jank STRING,
  sub_cause_of_jank STRING, event_latency_id LONG
) AS
SELECT row_number() OVER (ORDER BY frame_jank_ts) AS id, frame_jank_ts AS ts,
  frame_jank_dur AS dur, delayed_frame_count, cause_of_jank, sub_cause_of_jank,
  id AS event_latency_id
FROM chrome_janky_event_latencies_v3;

-- Frames that should have been shown, and those that were, of each scroll.
CREATE PERFETTO TABLE chrome_scroll_stats(
  scroll_id LONG, frame_count LONG, missed_vsyncs LONG, presented_frame_count LONG,
  janky_frame_count LONG, janky_frame_percent DOUBLE
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

CREATE PERFETTO TABLE chrome_scroll_jank_intervals_v3(id LONG, ts TIMESTAMP, dur DURATION) AS
SELECT row_number() OVER (ORDER BY ts) AS id, ts, dur
FROM interval_merge_overlapping!((
  SELECT frame_jank_ts AS ts, frame_jank_dur AS dur FROM chrome_janky_event_latencies_v3
), 1);
