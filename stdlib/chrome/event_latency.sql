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

CREATE PERFETTO TABLE chrome_event_latencies(
  id LONG, name STRING, ts TIMESTAMP, dur DURATION, scroll_update_id LONG,
  surface_frame_trace_id LONG, display_trace_id LONG, is_presented BOOL, event_type STRING,
  track_id LONG, vsync_interval_ms DOUBLE, is_janky_scrolled_frame BOOL,
  buffer_available_timestamp LONG, buffer_ready_timestamp LONG, latch_timestamp LONG,
  swap_end_timestamp LONG, presentation_timestamp LONG
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
  id LONG, name STRING, ts TIMESTAMP, dur DURATION, scroll_update_id LONG, is_presented BOOL,
  event_type STRING, track_id LONG, vsync_interval_ms DOUBLE, is_janky BOOL,
  buffer_available_timestamp LONG, buffer_ready_timestamp LONG, latch_timestamp LONG,
  swap_end_timestamp LONG, presentation_timestamp LONG, scroll_id LONG
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
