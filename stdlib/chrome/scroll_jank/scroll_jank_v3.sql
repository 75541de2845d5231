-- Frames of scrolls that came late, as the third version of Chrome's scroll jank metric has them.

INCLUDE PERFETTO MODULE chrome.event_latency;
INCLUDE PERFETTO MODULE chrome.metadata;
INCLUDE PERFETTO MODULE chrome.scroll_jank.scroll_jank_v3_cause;
INCLUDE PERFETTO MODULE chrome.scroll_jank.scroll_offsets;

-- Updates that were shown; updates that were not belong to the one that was shown before.
CREATE PERFETTO TABLE chrome_presented_gesture_scrolls(
  id LONG, ts TIMESTAMP, dur DURATION, last_presented_input_ts TIMESTAMP, scroll_update_id LONG,
  scroll_id LONG, presentation_timestamp LONG, event_type STRING
) AS
SELECT shown.id, shown.ts, shown.dur, last.ts AS last_presented_input_ts, shown.scroll_update_id,
  shown.scroll_id, shown.presentation_timestamp, shown.event_type
FROM chrome_gesture_scroll_updates AS shown
JOIN (
  SELECT shown_id, max(ts) AS ts
  FROM (
    SELECT ts, last_non_null(iif(is_presented, id, NULL)) OVER (ORDER BY ts) AS shown_id
    FROM chrome_gesture_scroll_updates
  )
  GROUP BY shown_id
) AS last ON last.shown_id = shown.id
ORDER BY shown.ts;

CREATE PERFETTO TABLE chrome_scroll_updates_with_deltas(
  scroll_update_id LONG, delta_y DOUBLE
) AS
SELECT scroll_update_id, delta_y
FROM chrome_scroll_presented_deltas;

CREATE PERFETTO TABLE chrome_full_frame_view(
  id LONG, ts TIMESTAMP, last_presented_input_ts TIMESTAMP, scroll_id LONG, scroll_update_id LONG,
  event_latency_id LONG, dur DURATION, presentation_timestamp LONG
) AS
SELECT id, ts, last_presented_input_ts, scroll_id, scroll_update_id, id AS event_latency_id, dur,
  presentation_timestamp
FROM chrome_presented_gesture_scrolls
WHERE presentation_timestamp IS NOT NULL
  AND event_type IN ('GESTURE_SCROLL_UPDATE', 'FIRST_GESTURE_SCROLL_UPDATE',
    'INERTIAL_GESTURE_SCROLL_UPDATE', 'GESTURE_PINCH_UPDATE');

CREATE PERFETTO TABLE chrome_full_frame_delta_view(
  id LONG, ts TIMESTAMP, scroll_id LONG, scroll_update_id LONG, last_presented_input_ts TIMESTAMP,
  delta_y DOUBLE, event_latency_id LONG, dur DURATION, presentation_timestamp LONG
) AS
SELECT frame.id, frame.ts, frame.scroll_id, scroll_update_id, frame.last_presented_input_ts,
  delta.delta_y, frame.event_latency_id, frame.dur, frame.presentation_timestamp
FROM chrome_full_frame_view AS frame
LEFT JOIN chrome_scroll_updates_with_deltas AS delta USING (scroll_update_id);

-- Updates that were shown at the same time.
CREATE PERFETTO TABLE chrome_merged_frame_view(
  id LONG, max_start_ts TIMESTAMP, min_start_ts TIMESTAMP, scroll_id LONG, scroll_update_id LONG,
  encapsulated_scroll_ids STRING, total_delta DOUBLE, segregated_delta_y STRING,
  event_latency_id LONG, dur DURATION, presentation_timestamp LONG
) AS
SELECT id, max_start_ts, min_start_ts, scroll_id, scroll_update_id, encapsulated_scroll_ids,
  total_delta, segregated_delta_y, event_latency_id, longest AS dur, presentation_timestamp
FROM (
  SELECT id, max(last_presented_input_ts) OVER frame AS max_start_ts,
    min(ts) OVER frame AS min_start_ts, scroll_id, scroll_update_id,
    group_concat(scroll_update_id) OVER frame AS encapsulated_scroll_ids,
    sum(delta_y) OVER frame AS total_delta, group_concat(delta_y) OVER frame AS segregated_delta_y,
    event_latency_id, max(dur) OVER frame AS longest, presentation_timestamp,
    row_number() OVER (PARTITION BY presentation_timestamp ORDER BY dur DESC, ts) AS number
  FROM chrome_full_frame_delta_view
  WINDOW frame AS (PARTITION BY presentation_timestamp ORDER BY ts
    ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING)
)
WHERE number = 1
ORDER BY presentation_timestamp;

-- Milliseconds since the scroll's frame before, and since its input.
CREATE PERFETTO TABLE chrome_frame_info_with_delay(
  id LONG, max_start_ts TIMESTAMP, min_start_ts TIMESTAMP, scroll_id LONG, scroll_update_id LONG,
  encapsulated_scroll_ids STRING, total_delta DOUBLE, segregated_delta_y STRING,
  event_latency_id LONG, dur DURATION, presentation_timestamp LONG, delay_since_last_frame DOUBLE,
  delay_since_last_input DOUBLE, prev_event_latency_id LONG
) AS
SELECT id, max_start_ts, min_start_ts, scroll_id, scroll_update_id, encapsulated_scroll_ids,
  total_delta, segregated_delta_y, event_latency_id, dur, presentation_timestamp,
  (presentation_timestamp - lag(presentation_timestamp, 1, presentation_timestamp) OVER (
    PARTITION BY scroll_id ORDER BY presentation_timestamp)) / 1e6 AS delay_since_last_frame,
  (min_start_ts - lag(max_start_ts, 1, min_start_ts) OVER by_input) / 1e6
    AS delay_since_last_input,
  lag(event_latency_id, 1, -1) OVER by_input AS prev_event_latency_id
FROM chrome_merged_frame_view
WINDOW by_input AS (PARTITION BY scroll_id ORDER BY min_start_ts);

-- In milliseconds: the least that the events say, else the shortest time between frames.
CREATE PERFETTO TABLE chrome_vsyncs(vsync_interval DOUBLE) AS
SELECT coalesce(min(iif(event.vsync_interval_ms > 0, event.vsync_interval_ms, NULL)),
  min(iif(frame.delay_since_last_frame > 0, frame.delay_since_last_frame, NULL))) AS vsync_interval
FROM chrome_frame_info_with_delay AS frame
JOIN chrome_event_latencies AS event ON event.id = frame.event_latency_id;

-- Frames that came more than half an interval late although their input did not.
CREATE PERFETTO TABLE chrome_janky_frames_no_cause(
  delay_since_last_frame DOUBLE, event_latency_id LONG, vsync_interval DOUBLE,
  hardware_class STRING, scroll_id LONG, prev_event_latency_id LONG
) AS
SELECT delay_since_last_frame, event_latency_id, vsync_interval,
  chrome_hardware_class() AS hardware_class, scroll_id, prev_event_latency_id
FROM chrome_frame_info_with_delay
JOIN chrome_vsyncs
WHERE delay_since_last_frame > vsync_interval * 1.5
  AND delay_since_last_input < vsync_interval * 1.5;

CREATE PERFETTO TABLE chrome_janky_frames_no_subcause(
  delay_since_last_frame DOUBLE, event_latency_id LONG, vsync_interval DOUBLE,
  hardware_class STRING, scroll_id LONG, prev_event_latency_id LONG, cause_id LONG
) AS
SELECT delay_since_last_frame, event_latency_id, vsync_interval, hardware_class, scroll_id,
  prev_event_latency_id,
  chrome_get_v3_jank_cause_id(event_latency_id, prev_event_latency_id) AS cause_id
FROM chrome_janky_frames_no_cause;

-- The stage that was late, and what was late within it.
CREATE PERFETTO TABLE chrome_janky_frames(
  cause_of_jank STRING, sub_cause_of_jank STRING, delay_since_last_frame DOUBLE,
  event_latency_id LONG, vsync_interval DOUBLE, hardware_class STRING, scroll_id LONG
) AS
SELECT cause.name AS cause_of_jank, sub_cause.name AS sub_cause_of_jank, delay_since_last_frame,
  event_latency_id, vsync_interval, hardware_class, scroll_id
FROM chrome_janky_frames_no_subcause AS frame
LEFT JOIN slice AS cause ON cause.id = frame.cause_id
LEFT JOIN slice AS sub_cause ON sub_cause.id = chrome_get_v3_jank_cause_id(cause.id, (
  SELECT before.id
  FROM slice AS before
  WHERE before.parent_id = frame.prev_event_latency_id AND before.name = cause.name
  LIMIT 1
));

CREATE PERFETTO TABLE chrome_unique_frame_presentation_ts(presentation_timestamp LONG) AS
SELECT DISTINCT presentation_timestamp
FROM chrome_presented_gesture_scrolls;

CREATE PERFETTO TABLE chrome_janky_frames_percentage(delayed_frame_percentage DOUBLE) AS
SELECT (SELECT count(*) FROM chrome_janky_frames) * 100.0
  / (SELECT count(*) FROM chrome_unique_frame_presentation_ts) AS delayed_frame_percentage;

-- NULL where no frame was late.
CREATE PERFETTO TABLE chrome_frames_per_scroll(
  scroll_id LONG, num_frames LONG, num_janky_frames LONG, scroll_jank_percentage DOUBLE
) AS
SELECT scroll_id, num_frames, num_janky_frames,
  100.0 * num_janky_frames / num_frames AS scroll_jank_percentage
FROM (
  SELECT scroll_id, count(*) AS num_frames FROM chrome_frame_info_with_delay GROUP BY scroll_id
)
LEFT JOIN (
  SELECT scroll_id, count(*) AS num_janky_frames FROM chrome_janky_frames GROUP BY scroll_id
) USING (scroll_id);
