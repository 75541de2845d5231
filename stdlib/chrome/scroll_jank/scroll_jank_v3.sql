-- Frames of scrolls that came late, as the third version of Chrome's scroll jank metric has them.

INCLUDE PERFETTO MODULE chrome.event_latency;
INCLUDE PERFETTO MODULE chrome.metadata;
INCLUDE PERFETTO MODULE chrome.scroll_jank.scroll_jank_v3_cause;
INCLUDE PERFETTO MODULE chrome.scroll_jank.scroll_offsets;

-- Updates that were shown; updates that were not belong to the one that was shown before.
CREATE PERFETTO TABLE chrome_presented_gesture_scrolls(
  -- EventLatency slice, joins slice.
  id LONG,
  -- Start, ns of trace time.
  ts TIMESTAMP,
  -- Duration, ns.
  dur DURATION,
  -- When the last input was generated of those up to the next frame shown.
  last_presented_input_ts TIMESTAMP,
  -- Input of the scroll update, joins chrome_inputs.latency_id.
  scroll_update_id LONG,
  -- Scroll, joins chrome_scrolls.
  scroll_id LONG,
  -- When the frame was shown, ns of trace time.
  presentation_timestamp LONG,
  -- Type of the event, as GESTURE_SCROLL_UPDATE.
  event_type STRING
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

-- How far the page moved by each update.
CREATE PERFETTO TABLE chrome_scroll_updates_with_deltas(
  -- Input of the scroll update, joins chrome_inputs.latency_id.
  scroll_update_id LONG,
  -- Vertical distance, pixels.
  delta_y DOUBLE
) AS
SELECT scroll_update_id, delta_y
FROM chrome_scroll_presented_deltas;

-- The updates with a known time at which they were shown.
CREATE PERFETTO TABLE chrome_full_frame_view(
  -- EventLatency slice, joins slice.
  id LONG,
  -- Start, ns of trace time.
  ts TIMESTAMP,
  -- When the last input was generated of those up to the next frame shown.
  last_presented_input_ts TIMESTAMP,
  -- Scroll, joins chrome_scrolls.
  scroll_id LONG,
  -- Input of the scroll update, joins chrome_inputs.latency_id.
  scroll_update_id LONG,
  -- EventLatency slice, joins chrome_event_latencies.
  event_latency_id LONG,
  -- Duration, ns.
  dur DURATION,
  -- When the frame was shown, ns of trace time.
  presentation_timestamp LONG
) AS
SELECT id, ts, last_presented_input_ts, scroll_id, scroll_update_id, id AS event_latency_id, dur,
  presentation_timestamp
FROM chrome_presented_gesture_scrolls
WHERE presentation_timestamp IS NOT NULL
  AND event_type IN ('GESTURE_SCROLL_UPDATE', 'FIRST_GESTURE_SCROLL_UPDATE',
    'INERTIAL_GESTURE_SCROLL_UPDATE', 'GESTURE_PINCH_UPDATE');

-- The updates of chrome_full_frame_view with how far the page moved.
CREATE PERFETTO TABLE chrome_full_frame_delta_view(
  -- EventLatency slice, joins slice.
  id LONG,
  -- Start, ns of trace time.
  ts TIMESTAMP,
  -- Scroll, joins chrome_scrolls.
  scroll_id LONG,
  -- Input of the scroll update, joins chrome_inputs.latency_id.
  scroll_update_id LONG,
  -- When the last input was generated of those up to the next frame shown.
  last_presented_input_ts TIMESTAMP,
  -- Vertical distance, pixels.
  delta_y DOUBLE,
  -- EventLatency slice, joins chrome_event_latencies.
  event_latency_id LONG,
  -- Duration, ns.
  dur DURATION,
  -- When the frame was shown, ns of trace time.
  presentation_timestamp LONG
) AS
SELECT frame.id, frame.ts, frame.scroll_id, scroll_update_id, frame.last_presented_input_ts,
  delta.delta_y, frame.event_latency_id, frame.dur, frame.presentation_timestamp
FROM chrome_full_frame_view AS frame
LEFT JOIN chrome_scroll_updates_with_deltas AS delta USING (scroll_update_id);

-- Frames: updates that were shown at the same time. Ids are those of the longest one.
CREATE PERFETTO TABLE chrome_merged_frame_view(
  -- EventLatency slice, joins slice.
  id LONG,
  -- When the frame's last input was generated.
  max_start_ts TIMESTAMP,
  -- When the frame's first input was generated.
  min_start_ts TIMESTAMP,
  -- Scroll, joins chrome_scrolls.
  scroll_id LONG,
  -- Input of the scroll update, joins chrome_inputs.latency_id.
  scroll_update_id LONG,
  -- Inputs of all updates in the frame, separated by commas.
  encapsulated_scroll_ids STRING,
  -- Vertical distance of all updates in the frame, pixels.
  total_delta DOUBLE,
  -- Vertical distance of each update, pixels, separated by commas.
  segregated_delta_y STRING,
  -- EventLatency slice, joins chrome_event_latencies.
  event_latency_id LONG,
  -- Duration of the longest EventLatency, ns.
  dur DURATION,
  -- When the frame was shown, ns of trace time.
  presentation_timestamp LONG
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

-- The frames with their distance to the previous one of the scroll.
CREATE PERFETTO TABLE chrome_frame_info_with_delay(
  -- EventLatency slice, joins slice.
  id LONG,
  -- When the frame's last input was generated.
  max_start_ts TIMESTAMP,
  -- When the frame's first input was generated.
  min_start_ts TIMESTAMP,
  -- Scroll, joins chrome_scrolls.
  scroll_id LONG,
  -- Input of the scroll update, joins chrome_inputs.latency_id.
  scroll_update_id LONG,
  -- Inputs of all updates in the frame, separated by commas.
  encapsulated_scroll_ids STRING,
  -- Vertical distance of all updates in the frame, pixels.
  total_delta DOUBLE,
  -- Vertical distance of each update, pixels, separated by commas.
  segregated_delta_y STRING,
  -- EventLatency slice, joins chrome_event_latencies.
  event_latency_id LONG,
  -- Duration of the longest EventLatency, ns.
  dur DURATION,
  -- When the frame was shown, ns of trace time.
  presentation_timestamp LONG,
  -- Time since the scroll's previous frame was shown, ms.
  delay_since_last_frame DOUBLE,
  -- Time since the last input of the scroll's previous frame, ms.
  delay_since_last_input DOUBLE,
  -- EventLatency slice of the frame before, -1 for the first one.
  prev_event_latency_id LONG
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

-- Time between VSyncs: the least that the events say, else the shortest time between frames.
CREATE PERFETTO TABLE chrome_vsyncs(
  -- Time between VSyncs, ms.
  vsync_interval DOUBLE
) AS
SELECT coalesce(min(iif(event.vsync_interval_ms > 0, event.vsync_interval_ms, NULL)),
  min(iif(frame.delay_since_last_frame > 0, frame.delay_since_last_frame, NULL))) AS vsync_interval
FROM chrome_frame_info_with_delay AS frame
JOIN chrome_event_latencies AS event ON event.id = frame.event_latency_id;

-- Frames that came more than half an interval late although their input did not.
CREATE PERFETTO TABLE chrome_janky_frames_no_cause(
  -- Time since the scroll's previous frame was shown, ms.
  delay_since_last_frame DOUBLE,
  -- EventLatency slice, joins chrome_event_latencies.
  event_latency_id LONG,
  -- Time between VSyncs, ms.
  vsync_interval DOUBLE,
  -- Device, as chrome_hardware_class() gives it.
  hardware_class STRING,
  -- Scroll, joins chrome_scrolls.
  scroll_id LONG,
  -- EventLatency slice of the frame before, -1 for the first one.
  prev_event_latency_id LONG
) AS
SELECT delay_since_last_frame, event_latency_id, vsync_interval,
  chrome_hardware_class() AS hardware_class, scroll_id, prev_event_latency_id
FROM chrome_frame_info_with_delay
JOIN chrome_vsyncs
WHERE delay_since_last_frame > vsync_interval * 1.5
  AND delay_since_last_input < vsync_interval * 1.5;

-- Late frames with the stage that took longer.
CREATE PERFETTO TABLE chrome_janky_frames_no_subcause(
  -- Time since the scroll's previous frame was shown, ms.
  delay_since_last_frame DOUBLE,
  -- EventLatency slice, joins chrome_event_latencies.
  event_latency_id LONG,
  -- Time between VSyncs, ms.
  vsync_interval DOUBLE,
  -- Device, as chrome_hardware_class() gives it.
  hardware_class STRING,
  -- Scroll, joins chrome_scrolls.
  scroll_id LONG,
  -- EventLatency slice of the frame before, -1 for the first one.
  prev_event_latency_id LONG,
  -- Stage that took longer, joins slice.
  cause_id LONG
) AS
SELECT delay_since_last_frame, event_latency_id, vsync_interval, hardware_class, scroll_id,
  prev_event_latency_id,
  chrome_get_v3_jank_cause_id(event_latency_id, prev_event_latency_id) AS cause_id
FROM chrome_janky_frames_no_cause;

-- Late frames with the stage that took longer, and what took longer within it.
CREATE PERFETTO TABLE chrome_janky_frames(
  -- Stage of the EventLatency that took longer.
  cause_of_jank STRING,
  -- Part of that stage that took longer.
  sub_cause_of_jank STRING,
  -- Time since the scroll's previous frame was shown, ms.
  delay_since_last_frame DOUBLE,
  -- EventLatency slice, joins chrome_event_latencies.
  event_latency_id LONG,
  -- Time between VSyncs, ms.
  vsync_interval DOUBLE,
  -- Device, as chrome_hardware_class() gives it.
  hardware_class STRING,
  -- Scroll, joins chrome_scrolls.
  scroll_id LONG
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

-- The times at which frames were shown.
CREATE PERFETTO TABLE chrome_unique_frame_presentation_ts(
  -- When the frame was shown, ns of trace time.
  presentation_timestamp LONG
) AS
SELECT DISTINCT presentation_timestamp
FROM chrome_presented_gesture_scrolls;

-- Late frames of all scrolls.
CREATE PERFETTO TABLE chrome_janky_frames_percentage(
  -- Percentage of late frames among those shown.
  delayed_frame_percentage DOUBLE
) AS
SELECT (SELECT count(*) FROM chrome_janky_frames) * 100.0
  / (SELECT count(*) FROM chrome_unique_frame_presentation_ts) AS delayed_frame_percentage;

-- Late frames of each scroll; NULL where no frame was late.
CREATE PERFETTO TABLE chrome_frames_per_scroll(
  -- Scroll, joins chrome_scrolls.
  scroll_id LONG,
  -- Frames that were shown.
  num_frames LONG,
  -- Frames that came late.
  num_janky_frames LONG,
  -- Percentage of late frames.
  scroll_jank_percentage DOUBLE
) AS
SELECT scroll_id, num_frames, num_janky_frames,
  100.0 * num_janky_frames / num_frames AS scroll_jank_percentage
FROM (
  SELECT scroll_id, count(*) AS num_frames FROM chrome_frame_info_with_delay GROUP BY scroll_id
)
LEFT JOIN (
  SELECT scroll_id, count(*) AS num_janky_frames FROM chrome_janky_frames GROUP BY scroll_id
) USING (scroll_id);
