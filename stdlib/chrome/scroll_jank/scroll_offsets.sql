-- How far scrolls moved: what the inputs asked for, and what the page did. In pixels of the screen.

INCLUDE PERFETTO MODULE chrome.event_latency;

-- How far each input asked to scroll.
CREATE PERFETTO TABLE chrome_scroll_input_deltas(
  -- Input of the scroll update, joins chrome_inputs.latency_id.
  scroll_update_id LONG,
  -- Horizontal distance, pixels.
  delta_x DOUBLE,
  -- Vertical distance, pixels.
  delta_y DOUBLE
) AS
SELECT extract_arg(arg_set_id, 'scroll_deltas.trace_id') AS scroll_update_id,
  extract_arg(arg_set_id, 'scroll_deltas.original_delta_x') AS delta_x,
  extract_arg(arg_set_id, 'scroll_deltas.original_delta_y') AS delta_y
FROM slice
WHERE name = 'TranslateAndScaleWebInputEvent';

-- How far each input asked to scroll, added up within the scroll.
CREATE PERFETTO TABLE chrome_scroll_input_offsets(
  -- Input of the scroll update, joins chrome_inputs.latency_id.
  scroll_update_id LONG,
  -- Scroll, joins chrome_scrolls.
  scroll_id LONG,
  -- When the input was generated, ns of trace time.
  ts TIMESTAMP,
  -- Vertical distance, pixels.
  delta_y DOUBLE,
  -- Vertical distance since the scroll began, pixels.
  relative_offset_y DOUBLE
) AS
SELECT scroll_update_id, u.scroll_id, u.ts, delta.delta_y,
  sum(delta.delta_y) OVER (PARTITION BY u.scroll_id ORDER BY u.ts ROWS UNBOUNDED PRECEDING)
    AS relative_offset_y
FROM chrome_scroll_input_deltas AS delta
JOIN chrome_gesture_scroll_updates AS u USING (scroll_update_id);

-- How far the page moved by each update.
CREATE PERFETTO TABLE chrome_scroll_presented_deltas(
  -- Input of the scroll update, joins chrome_inputs.latency_id.
  scroll_update_id LONG,
  -- Horizontal distance, pixels.
  delta_x DOUBLE,
  -- Vertical distance, pixels.
  delta_y DOUBLE,
  -- Where the page stands after the update, horizontally, pixels.
  offset_x LONG,
  -- Where the page stands after the update, vertically, pixels.
  offset_y LONG
) AS
SELECT extract_arg(arg_set_id, 'scroll_deltas.trace_id') AS scroll_update_id,
  extract_arg(arg_set_id, 'scroll_deltas.provided_to_compositor_delta_x') AS delta_x,
  extract_arg(arg_set_id, 'scroll_deltas.provided_to_compositor_delta_y') AS delta_y,
  extract_arg(arg_set_id, 'scroll_deltas.visual_offset_x') AS offset_x,
  extract_arg(arg_set_id, 'scroll_deltas.visual_offset_y') AS offset_y
FROM slice
WHERE name = 'InputHandlerProxy::HandleGestureScrollUpdate_Result';

-- One row for each time that something was shown, with the first update and the sum of all.
CREATE PERFETTO TABLE chrome_presented_scroll_offsets(
  -- First update, joins chrome_inputs.latency_id.
  scroll_update_id LONG,
  -- Scroll, joins chrome_scrolls.
  scroll_id LONG,
  -- When it was shown, ns of trace time.
  ts TIMESTAMP,
  -- Vertical distance of all updates, pixels.
  delta_y DOUBLE,
  -- Vertical distance since the scroll began, pixels.
  relative_offset_y DOUBLE
) AS
SELECT scroll_update_id, scroll_id, ts, delta_y,
  sum(delta_y) OVER (PARTITION BY scroll_id ORDER BY ts ROWS UNBOUNDED PRECEDING)
    AS relative_offset_y
FROM (
  SELECT scroll_update_id, u.scroll_id, u.presentation_timestamp AS ts,
    sum(delta.delta_y) AS delta_y, min(u.ts)
  FROM chrome_scroll_presented_deltas AS delta
  JOIN chrome_gesture_scroll_updates AS u USING (scroll_update_id)
  GROUP BY u.presentation_timestamp
);
