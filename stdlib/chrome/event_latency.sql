-- How long inputs took until their effect was shown.

-- What the slices within each EventLatency tell: its stages.
CREATE PERFETTO TABLE _event_latency_stages(
  id LONG, is_presented BOOL, buffer_available_timestamp LONG, buffer_ready_timestamp LONG,
  latch_timestamp LONG, swap_end_timestamp LONG, presentation_timestamp LONG
) AS
SELECT s.id, max(stage.name GLOB 'Submit*ToPresentationCompositorFrame') AS is_presented,
  min(iif(stage.name = 'BufferAvailableToBufferReady', stage.ts, NULL))
    AS buffer_available_timestamp,
  min(iif(stage.name = 'BufferReadyToLatch', stage.ts, NULL)) AS buffer_ready_timestamp,
  coalesce(min(iif(stage.name = 'LatchToSwapEnd', stage.ts, NULL)),
    min(iif(stage.name = 'LatchToPresentation', stage.ts, NULL))) AS latch_timestamp,
  min(iif(stage.name = 'SwapEndToPresentationCompositorFrame', stage.ts, NULL))
    AS swap_end_timestamp,
  coalesce(
    min(iif(stage.name = 'SwapEndToPresentationCompositorFrame' AND stage.dur <> -1,
      stage.ts + stage.dur, NULL)),
    min(iif(stage.name GLOB '*ToPresentation' AND stage.dur <> -1, stage.ts + stage.dur, NULL)),
    min(iif(stage.name = 'LatchToSwapEnd' AND stage.dur <> -1, stage.ts + stage.dur, NULL)))
    AS presentation_timestamp
FROM slice AS s
JOIN descendant_slice(s.id) AS stage
WHERE s.name = 'EventLatency'
GROUP BY s.id;

-- Each EventLatency slice: an input, from its generation to the display.
CREATE PERFETTO TABLE chrome_event_latencies(
  -- EventLatency slice, joins slice.
  id LONG,
  -- Name of the slice, EventLatency.
  name STRING,
  -- Start, ns of trace time.
  ts TIMESTAMP,
  -- Duration, ns; -1 if it has not ended.
  dur DURATION,
  -- Input, joins chrome_inputs.latency_id.
  scroll_update_id LONG,
  -- Frame of a surface, joins chrome_graphics_pipeline_surface_frame_steps.
  surface_frame_trace_id LONG,
  -- Frame on the display, joins chrome_graphics_pipeline_display_frame_steps.
  display_trace_id LONG,
  -- Whether a frame with its effect was shown.
  is_presented BOOL,
  -- Type of the event, as GESTURE_SCROLL_UPDATE.
  event_type STRING,
  -- Track, joins track.
  track_id LONG,
  -- Time between VSyncs, ms.
  vsync_interval_ms DOUBLE,
  -- Whether Chrome took its frame for late.
  is_janky_scrolled_frame BOOL,
  -- When the buffer may be written to.
  buffer_available_timestamp LONG,
  -- When the frame is in the buffer.
  buffer_ready_timestamp LONG,
  -- When the system took the buffer.
  latch_timestamp LONG,
  -- When the swap of buffers ended.
  swap_end_timestamp LONG,
  -- When the frame was shown, ns of trace time.
  presentation_timestamp LONG
) AS
SELECT s.id, s.name, s.ts, s.dur,
  extract_arg(s.arg_set_id, 'event_latency.event_latency_id') AS scroll_update_id,
  extract_arg(s.arg_set_id, 'event_latency.surface_frame_trace_id') AS surface_frame_trace_id,
  extract_arg(s.arg_set_id, 'event_latency.display_trace_id') AS display_trace_id,
  coalesce(stage.is_presented, 0) AS is_presented,
  extract_arg(s.arg_set_id, 'event_latency.event_type') AS event_type, s.track_id,
  extract_arg(s.arg_set_id, 'event_latency.vsync_interval_ms') AS vsync_interval_ms,
  coalesce(extract_arg(s.arg_set_id, 'event_latency.is_janky_scrolled_frame'), 0)
    AS is_janky_scrolled_frame, stage.buffer_available_timestamp, stage.buffer_ready_timestamp,
  stage.latch_timestamp, stage.swap_end_timestamp, stage.presentation_timestamp
FROM slice AS s
LEFT JOIN _event_latency_stages AS stage USING (id)
WHERE s.name = 'EventLatency';

-- Updates of scrolls, and pinches that were shown. A scroll begins with an update of its own type.
CREATE PERFETTO TABLE chrome_gesture_scroll_updates(
  -- EventLatency slice, joins slice.
  id LONG,
  -- Name of the slice, EventLatency.
  name STRING,
  -- Start, ns of trace time.
  ts TIMESTAMP,
  -- Duration, ns; -1 if it has not ended.
  dur DURATION,
  -- Input of the scroll update, joins chrome_inputs.latency_id.
  scroll_update_id LONG,
  -- Whether a frame with its effect was shown.
  is_presented BOOL,
  -- Type of the event, as GESTURE_SCROLL_UPDATE.
  event_type STRING,
  -- Track, joins track.
  track_id LONG,
  -- Time between VSyncs, ms.
  vsync_interval_ms DOUBLE,
  -- Whether Chrome took its frame for late.
  is_janky BOOL,
  -- When the buffer may be written to.
  buffer_available_timestamp LONG,
  -- When the frame is in the buffer.
  buffer_ready_timestamp LONG,
  -- When the system took the buffer.
  latch_timestamp LONG,
  -- When the swap of buffers ended.
  swap_end_timestamp LONG,
  -- When the frame was shown, ns of trace time.
  presentation_timestamp LONG,
  -- Scroll, joins chrome_scrolls.
  scroll_id LONG
) AS
SELECT id, name, ts, dur, scroll_update_id, is_presented, event_type, track_id, vsync_interval_ms,
  is_janky_scrolled_frame AS is_janky, buffer_available_timestamp, buffer_ready_timestamp,
  latch_timestamp, swap_end_timestamp, presentation_timestamp,
  sum(is_first) OVER (ORDER BY ts ROWS UNBOUNDED PRECEDING) AS scroll_id
FROM (
  SELECT *, event_type = 'FIRST_GESTURE_SCROLL_UPDATE' OR row_number() OVER (ORDER BY ts) = 1
    AS is_first
  FROM chrome_event_latencies
  WHERE event_type IN ('GESTURE_SCROLL_UPDATE', 'FIRST_GESTURE_SCROLL_UPDATE',
      'INERTIAL_GESTURE_SCROLL_UPDATE')
    OR (event_type GLOB '*GESTURE_PINCH_UPDATE' AND is_presented)
);
