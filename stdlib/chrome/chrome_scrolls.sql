-- Scrolls in Chrome: how each update of a scroll came from the input to the display.

INCLUDE PERFETTO MODULE chrome.event_latency;
INCLUDE PERFETTO MODULE chrome.graphics_pipeline;
INCLUDE PERFETTO MODULE chrome.input;
INCLUDE PERFETTO MODULE chrome.scroll_jank.scroll_offsets;

-- The ids by which an update's events are known: of the touch, of the update that it was shown
-- with, and of the surface's and the display's frame.
CREATE PERFETTO TABLE chrome_scroll_update_refs(
  -- Scroll update, joins chrome_inputs.latency_id.
  scroll_update_latency_id LONG,
  -- Touch move, joins chrome_inputs.latency_id.
  touch_move_latency_id LONG,
  -- Update that it was shown with, maybe itself; joins chrome_inputs.latency_id.
  presentation_latency_id LONG,
  -- Frame of the surface, joins chrome_graphics_pipeline_surface_frame_steps.
  surface_frame_id LONG,
  -- Frame on the display, joins chrome_graphics_pipeline_display_frame_steps.
  display_trace_id LONG
) AS
SELECT input.latency_id AS scroll_update_latency_id, touch.touch_move_latency_id,
  coalesce(coalesced.presented_latency_id, input.latency_id) AS presentation_latency_id,
  coalesce(event.surface_frame_trace_id, frame.surface_frame_trace_id) AS surface_frame_id,
  coalesce(event.display_trace_id, display.display_trace_id) AS display_trace_id
FROM chrome_inputs AS input
LEFT JOIN chrome_event_latencies AS event ON event.scroll_update_id = input.latency_id
LEFT JOIN chrome_graphics_pipeline_inputs_to_surface_frames AS frame
  ON frame.latency_id = input.latency_id
LEFT JOIN chrome_surface_frame_id_to_first_display_id AS display
  ON display.surface_frame_trace_id = frame.surface_frame_trace_id
LEFT JOIN chrome_touch_move_to_scroll_update AS touch
  ON touch.scroll_update_latency_id = input.latency_id
LEFT JOIN chrome_coalesced_inputs AS coalesced
  ON coalesced.coalesced_latency_id = input.latency_id
WHERE input.input_type = 'GESTURE_SCROLL_UPDATE_EVENT';

-- One step of many that are put into one row. A step's task counts as part of it.
CREATE PERFETTO MACRO _scroll_step(name Expr, value Expr) RETURNS Expr AS
max(iif(step = $name, $value, NULL));

CREATE PERFETTO MACRO _task_ts() RETURNS Expr AS coalesce(task_start_time_ts, ts);

CREATE PERFETTO TABLE _scroll_input_steps AS
SELECT latency_id, _scroll_step!('STEP_SEND_INPUT_EVENT_UI', slice_id) AS sent_slice_id,
  _scroll_step!('STEP_SEND_INPUT_EVENT_UI', ts) AS sent_ts,
  _scroll_step!('STEP_SEND_INPUT_EVENT_UI', ts + dur) AS sent_end_ts,
  _scroll_step!('STEP_SEND_INPUT_EVENT_UI', utid) AS sent_utid,
  _scroll_step!('STEP_HANDLE_INPUT_EVENT_IMPL', slice_id) AS dispatch_slice_id,
  _scroll_step!('STEP_HANDLE_INPUT_EVENT_IMPL', _task_ts!()) AS dispatch_ts,
  _scroll_step!('STEP_HANDLE_INPUT_EVENT_IMPL', ts + dur) AS dispatch_end_ts,
  _scroll_step!('STEP_HANDLE_INPUT_EVENT_IMPL', utid) AS dispatch_utid,
  _scroll_step!('STEP_DID_HANDLE_INPUT_AND_OVERSCROLL', slice_id) AS handled_slice_id,
  _scroll_step!('STEP_DID_HANDLE_INPUT_AND_OVERSCROLL', ts) AS handled_ts,
  _scroll_step!('STEP_DID_HANDLE_INPUT_AND_OVERSCROLL', ts + dur) AS handled_end_ts,
  _scroll_step!('STEP_RESAMPLE_SCROLL_EVENTS', slice_id) AS resample_slice_id,
  _scroll_step!('STEP_RESAMPLE_SCROLL_EVENTS', _task_ts!()) AS resample_ts
FROM chrome_input_pipeline_steps
WHERE input_type IN ('TOUCH_MOVE_EVENT', 'GESTURE_SCROLL_UPDATE_EVENT')
GROUP BY latency_id;

CREATE PERFETTO TABLE _scroll_surface_frames AS
SELECT surface_frame_trace_id, _scroll_step!('STEP_RECEIVE_BEGIN_FRAME', _task_ts!()) AS begin_ts,
  _scroll_step!('STEP_GENERATE_COMPOSITOR_FRAME', id) AS generate_slice_id,
  _scroll_step!('STEP_GENERATE_COMPOSITOR_FRAME', _task_ts!()) AS generate_ts,
  _scroll_step!('STEP_SUBMIT_COMPOSITOR_FRAME', id) AS submit_slice_id,
  _scroll_step!('STEP_SUBMIT_COMPOSITOR_FRAME', ts) AS submit_ts,
  _scroll_step!('STEP_SUBMIT_COMPOSITOR_FRAME', ts + dur) AS submit_end_ts,
  _scroll_step!('STEP_RECEIVE_COMPOSITOR_FRAME', id) AS receive_slice_id,
  _scroll_step!('STEP_RECEIVE_COMPOSITOR_FRAME', _task_ts!()) AS receive_ts,
  _scroll_step!('STEP_RECEIVE_COMPOSITOR_FRAME', ts + dur) AS receive_end_ts,
  _scroll_step!('STEP_RECEIVE_COMPOSITOR_FRAME', utid) AS receive_utid
FROM chrome_graphics_pipeline_surface_frame_steps
WHERE surface_frame_trace_id IS NOT NULL
GROUP BY surface_frame_trace_id;

CREATE PERFETTO TABLE _scroll_display_frames AS
SELECT display_trace_id, _scroll_step!('STEP_DRAW_AND_SWAP', id) AS draw_slice_id,
  _scroll_step!('STEP_DRAW_AND_SWAP', _task_ts!()) AS draw_ts,
  _scroll_step!('STEP_SEND_BUFFER_SWAP', id) AS send_slice_id,
  _scroll_step!('STEP_SEND_BUFFER_SWAP', ts + dur) AS send_end_ts,
  _scroll_step!('STEP_BUFFER_SWAP_POST_SUBMIT', id) AS swap_slice_id,
  _scroll_step!('STEP_BUFFER_SWAP_POST_SUBMIT', _task_ts!()) AS swap_ts,
  _scroll_step!('STEP_BUFFER_SWAP_POST_SUBMIT', ts + dur) AS swap_end_ts,
  _scroll_step!('STEP_BUFFER_SWAP_POST_SUBMIT', utid) AS swap_utid
FROM chrome_graphics_pipeline_display_frame_steps
GROUP BY display_trace_id;

-- The way of each update until it becomes part of a frame. Flings have no touch: they come to the
-- browser when it makes them.
CREATE PERFETTO TABLE chrome_scroll_update_input_pipeline(
  -- Scroll update, joins chrome_scroll_update_refs.
  id LONG,
  -- Scroll, joins chrome_scrolls.
  scroll_id LONG,
  -- Update that it was shown with, joins chrome_scroll_update_frame_pipeline.
  presented_in_frame_id LONG,
  -- Whether its frame was shown.
  is_presented BOOL,
  -- Whether its frame was late.
  is_janky BOOL,
  -- Whether a fling made the update.
  is_inertial BOOL,
  -- Whether the scroll starts with it.
  is_first_scroll_update_in_scroll BOOL,
  -- Whether it is the first of its frame's updates.
  is_first_scroll_update_in_frame BOOL,
  -- When the system generated the input.
  generation_ts TIMESTAMP,
  -- When Android's InputReader was done.
  input_reader_processing_end_ts TIMESTAMP,
  -- When Android's InputDispatcher was done.
  input_dispatcher_processing_end_ts TIMESTAMP,
  -- From generation to the browser's main thread, ns.
  generation_to_browser_main_dur DURATION,
  -- Main thread of the browser, joins thread.
  browser_utid LONG,
  -- Slice in which the browser received the touch, joins slice.
  touch_move_received_slice_id LONG,
  -- When the browser received the touch.
  touch_move_received_ts TIMESTAMP,
  -- From receiving the touch to creating the scroll update, ns.
  touch_move_processing_dur DURATION,
  -- Slice in which the browser created the update, joins slice.
  scroll_update_created_slice_id LONG,
  -- When the browser started to create the update.
  scroll_update_created_ts TIMESTAMP,
  -- How long the browser took to create and send the update, ns.
  scroll_update_processing_dur DURATION,
  -- When the browser had sent the update.
  scroll_update_created_end_ts TIMESTAMP,
  -- From the browser's sending to the renderer's compositor, ns.
  browser_to_compositor_delay_dur DURATION,
  -- Compositor thread of the renderer, joins thread.
  compositor_utid LONG,
  -- Slice in which the compositor dispatched the update, joins slice.
  compositor_dispatch_slice_id LONG,
  -- When the compositor's task began that dispatched the update.
  compositor_dispatch_ts TIMESTAMP,
  -- How long the compositor took to dispatch the update, ns.
  compositor_dispatch_dur DURATION,
  -- When the compositor had dispatched the update.
  compositor_dispatch_end_ts TIMESTAMP,
  -- From the end of dispatch to the handling of coalesced updates, ns.
  compositor_dispatch_to_coalesced_input_handled_dur DURATION,
  -- Slice in which coalesced updates were handled, joins slice.
  compositor_coalesced_input_handled_slice_id LONG,
  -- When the compositor started on the coalesced updates.
  compositor_coalesced_input_handled_ts TIMESTAMP,
  -- How long it took to handle the coalesced updates, ns.
  compositor_coalesced_input_handled_dur DURATION,
  -- When the coalesced updates were handled.
  compositor_coalesced_input_handled_end_ts TIMESTAMP
) AS
SELECT refs.scroll_update_latency_id AS id, updates.scroll_id,
  refs.presentation_latency_id AS presented_in_frame_id, event.is_presented,
  event.is_janky_scrolled_frame AS is_janky,
  event.event_type = 'INERTIAL_GESTURE_SCROLL_UPDATE' AS is_inertial,
  event.event_type = 'FIRST_GESTURE_SCROLL_UPDATE' AS is_first_scroll_update_in_scroll,
  row_number() OVER (PARTITION BY refs.presentation_latency_id ORDER BY event.ts) = 1
    AS is_first_scroll_update_in_frame,
  event.ts AS generation_ts, android.input_reader_processing_end_ts,
  android.input_dispatcher_processing_end_ts,
  iif(event.event_type = 'INERTIAL_GESTURE_SCROLL_UPDATE', coalesce(touch.sent_ts, scroll.sent_ts),
    touch.sent_ts) - event.ts AS generation_to_browser_main_dur,
  scroll.sent_utid AS browser_utid, touch.sent_slice_id AS touch_move_received_slice_id,
  touch.sent_ts AS touch_move_received_ts,
  scroll.sent_ts - touch.sent_ts AS touch_move_processing_dur,
  scroll.sent_slice_id AS scroll_update_created_slice_id,
  scroll.sent_ts AS scroll_update_created_ts,
  scroll.sent_end_ts - scroll.sent_ts AS scroll_update_processing_dur,
  scroll.sent_end_ts AS scroll_update_created_end_ts,
  scroll.dispatch_ts - scroll.sent_end_ts AS browser_to_compositor_delay_dur,
  scroll.dispatch_utid AS compositor_utid, scroll.dispatch_slice_id AS compositor_dispatch_slice_id,
  scroll.dispatch_ts AS compositor_dispatch_ts,
  scroll.dispatch_end_ts - scroll.dispatch_ts AS compositor_dispatch_dur,
  scroll.dispatch_end_ts AS compositor_dispatch_end_ts,
  scroll.handled_ts - scroll.dispatch_end_ts AS compositor_dispatch_to_coalesced_input_handled_dur,
  scroll.handled_slice_id AS compositor_coalesced_input_handled_slice_id,
  scroll.handled_ts AS compositor_coalesced_input_handled_ts,
  scroll.handled_end_ts - scroll.handled_ts AS compositor_coalesced_input_handled_dur,
  scroll.handled_end_ts AS compositor_coalesced_input_handled_end_ts
FROM chrome_scroll_update_refs AS refs
LEFT JOIN chrome_event_latencies AS event
  ON event.scroll_update_id = refs.scroll_update_latency_id
LEFT JOIN chrome_gesture_scroll_updates AS updates
  ON updates.scroll_update_id = refs.scroll_update_latency_id
LEFT JOIN _scroll_input_steps AS touch ON touch.latency_id = refs.touch_move_latency_id
LEFT JOIN _scroll_input_steps AS scroll ON scroll.latency_id = refs.scroll_update_latency_id
LEFT JOIN chrome_dispatch_android_input_event_to_touch_move AS dispatch
  ON dispatch.touch_move_latency_id = refs.touch_move_latency_id
LEFT JOIN chrome_android_input AS android USING (android_input_id);

-- The way of each frame, named by the update that was shown with it.
CREATE PERFETTO TABLE chrome_scroll_update_frame_pipeline(
  -- First update shown with it, joins chrome_scroll_update_refs.
  id LONG,
  -- Frame on the display, joins chrome_graphics_pipeline_display_frame_steps.
  display_trace_id LONG,
  -- Time between VSyncs, ms.
  vsync_interval_ms DOUBLE,
  -- Slice in which the touch was resampled, joins slice.
  compositor_resample_slice_id LONG,
  -- When the task began that resampled the touch.
  compositor_resample_ts TIMESTAMP,
  -- When the compositor was told to begin the frame.
  compositor_receive_begin_frame_ts TIMESTAMP,
  -- Slice in which the frame was generated, joins slice.
  compositor_generate_compositor_frame_slice_id LONG,
  -- When the compositor started to generate the frame.
  compositor_generate_compositor_frame_ts TIMESTAMP,
  -- From starting to generate the frame to submitting it, ns.
  compositor_generate_frame_to_submit_frame_dur DURATION,
  -- Slice in which the frame was submitted, joins slice.
  compositor_submit_compositor_frame_slice_id LONG,
  -- When the compositor started to submit the frame.
  compositor_submit_compositor_frame_ts TIMESTAMP,
  -- How long it took to submit the frame, ns.
  compositor_submit_frame_dur DURATION,
  -- When the frame was submitted.
  compositor_submit_compositor_frame_end_ts TIMESTAMP,
  -- From the compositor to viz, in the GPU process, ns.
  compositor_to_viz_delay_dur DURATION,
  -- Compositor thread of viz, joins thread.
  viz_compositor_utid LONG,
  -- Slice in which viz received the frame, joins slice.
  viz_receive_compositor_frame_slice_id LONG,
  -- When viz started to receive the frame.
  viz_receive_compositor_frame_ts TIMESTAMP,
  -- How long viz took to receive the frame, ns.
  viz_receive_compositor_frame_dur DURATION,
  -- When viz had received the frame.
  viz_receive_compositor_frame_end_ts TIMESTAMP,
  -- How long the frame waited in viz until it was drawn, ns.
  viz_wait_for_draw_dur DURATION,
  -- Slice in which viz drew the frame, joins slice.
  viz_draw_and_swap_slice_id LONG,
  -- When viz started to draw the frame.
  viz_draw_and_swap_ts TIMESTAMP,
  -- From viz starting to draw until it had sent the swap of buffers, ns.
  viz_draw_and_swap_dur DURATION,
  -- Slice in which viz sent the swap of buffers, joins slice.
  viz_send_buffer_swap_slice_id LONG,
  -- When viz had sent the swap of buffers.
  viz_send_buffer_swap_end_ts TIMESTAMP,
  -- From viz to the GPU's main thread, ns.
  viz_to_gpu_delay_dur DURATION,
  -- Main thread of the GPU process, joins thread.
  viz_gpu_thread_utid LONG,
  -- Slice in which the buffers were swapped, joins slice.
  viz_swap_buffers_slice_id LONG,
  -- When the swap of buffers started.
  viz_swap_buffers_ts TIMESTAMP,
  -- How long the swap of buffers took, ns.
  viz_swap_buffers_dur DURATION,
  -- When the buffers were swapped.
  viz_swap_buffers_end_ts TIMESTAMP,
  -- From the buffers being swapped until the system took the buffer, ns.
  viz_swap_buffers_to_latch_dur DURATION,
  -- When the buffer may be written to.
  buffer_available_timestamp TIMESTAMP,
  -- From the buffer being available to the frame being in it, ns.
  buffer_available_to_ready_dur DURATION,
  -- When the frame is in the buffer.
  buffer_ready_timestamp TIMESTAMP,
  -- When the system took the buffer.
  latch_timestamp TIMESTAMP,
  -- From the system taking the buffer to its being shown, ns.
  viz_latch_to_presentation_dur DURATION,
  -- When the frame was shown, ns of trace time.
  presentation_timestamp TIMESTAMP
) AS
SELECT refs.scroll_update_latency_id AS id, refs.display_trace_id, event.vsync_interval_ms,
  scroll.resample_slice_id AS compositor_resample_slice_id,
  scroll.resample_ts AS compositor_resample_ts,
  surface.begin_ts AS compositor_receive_begin_frame_ts,
  surface.generate_slice_id AS compositor_generate_compositor_frame_slice_id,
  surface.generate_ts AS compositor_generate_compositor_frame_ts,
  surface.submit_ts - surface.generate_ts AS compositor_generate_frame_to_submit_frame_dur,
  surface.submit_slice_id AS compositor_submit_compositor_frame_slice_id,
  surface.submit_ts AS compositor_submit_compositor_frame_ts,
  surface.submit_end_ts - surface.submit_ts AS compositor_submit_frame_dur,
  surface.submit_end_ts AS compositor_submit_compositor_frame_end_ts,
  surface.receive_ts - surface.submit_end_ts AS compositor_to_viz_delay_dur,
  surface.receive_utid AS viz_compositor_utid,
  surface.receive_slice_id AS viz_receive_compositor_frame_slice_id,
  surface.receive_ts AS viz_receive_compositor_frame_ts,
  surface.receive_end_ts - surface.receive_ts AS viz_receive_compositor_frame_dur,
  surface.receive_end_ts AS viz_receive_compositor_frame_end_ts,
  display.draw_ts - surface.receive_end_ts AS viz_wait_for_draw_dur,
  display.draw_slice_id AS viz_draw_and_swap_slice_id, display.draw_ts AS viz_draw_and_swap_ts,
  display.send_end_ts - display.draw_ts AS viz_draw_and_swap_dur,
  display.send_slice_id AS viz_send_buffer_swap_slice_id,
  display.send_end_ts AS viz_send_buffer_swap_end_ts,
  display.swap_ts - display.send_end_ts AS viz_to_gpu_delay_dur,
  display.swap_utid AS viz_gpu_thread_utid, display.swap_slice_id AS viz_swap_buffers_slice_id,
  display.swap_ts AS viz_swap_buffers_ts,
  display.swap_end_ts - display.swap_ts AS viz_swap_buffers_dur,
  display.swap_end_ts AS viz_swap_buffers_end_ts,
  event.latch_timestamp - display.swap_end_ts AS viz_swap_buffers_to_latch_dur,
  event.buffer_available_timestamp,
  event.buffer_ready_timestamp - event.buffer_available_timestamp AS buffer_available_to_ready_dur,
  event.buffer_ready_timestamp, event.latch_timestamp,
  event.presentation_timestamp - event.latch_timestamp AS viz_latch_to_presentation_dur,
  event.presentation_timestamp
FROM chrome_scroll_update_refs AS refs
LEFT JOIN chrome_event_latencies AS event
  ON event.scroll_update_id = refs.presentation_latency_id
LEFT JOIN _scroll_input_steps AS scroll ON scroll.latency_id = refs.presentation_latency_id
LEFT JOIN _scroll_surface_frames AS surface
  ON surface.surface_frame_trace_id = refs.surface_frame_id
LEFT JOIN _scroll_display_frames AS display ON display.display_trace_id = refs.display_trace_id
WHERE refs.scroll_update_latency_id = refs.presentation_latency_id;

-- Each scroll. Its beginning comes before its first update, its end behind the last one.
CREATE PERFETTO TABLE chrome_scrolls(
  -- Number of the scroll.
  id LONG,
  -- Start of the first event, ns of trace time.
  ts TIMESTAMP,
  -- To the end of the last event, ns.
  dur DURATION,
  -- When the scroll's beginning was generated, NULL if not recorded.
  gesture_scroll_begin_ts TIMESTAMP,
  -- When the scroll's end, else its last update, was generated.
  gesture_scroll_end_ts TIMESTAMP
) AS
WITH events AS (
  SELECT scroll_id, event_type, ts, dur FROM chrome_gesture_scroll_updates
  UNION ALL
  SELECT (
      SELECT u.scroll_id
      FROM chrome_gesture_scroll_updates AS u
      WHERE u.ts >= e.ts
      ORDER BY u.ts
      LIMIT 1
    ), event_type, ts, dur
  FROM chrome_event_latencies AS e
  WHERE event_type = 'GESTURE_SCROLL_BEGIN'
  UNION ALL
  SELECT (
      SELECT u.scroll_id
      FROM chrome_gesture_scroll_updates AS u
      WHERE u.ts <= e.ts
      ORDER BY u.ts DESC
      LIMIT 1
    ), event_type, ts, dur
  FROM chrome_event_latencies AS e
  WHERE event_type = 'GESTURE_SCROLL_END'
)
SELECT scroll_id AS id, min(ts) AS ts, max(ts + dur) - min(ts) AS dur,
  min(iif(event_type = 'GESTURE_SCROLL_BEGIN', ts, NULL)) AS gesture_scroll_begin_ts,
  max(iif(event_type = 'GESTURE_SCROLL_BEGIN', NULL, ts)) AS gesture_scroll_end_ts
FROM events
WHERE scroll_id IS NOT NULL
GROUP BY scroll_id;

-- The whole way of each update. `previous_input_id` is the update before in the same scroll.
CREATE PERFETTO TABLE chrome_scroll_update_info(
  -- Scroll update, joins chrome_scroll_update_refs.
  id LONG,
  -- Scroll, joins chrome_scrolls.
  scroll_id LONG,
  -- Update before it, NULL for the scroll's first one.
  previous_input_id LONG,
  -- Frame on the display, joins chrome_scroll_frame_info.id.
  frame_display_id LONG,
  -- Time between VSyncs, ms.
  vsync_interval_ms DOUBLE,
  -- Whether its frame was shown.
  is_presented BOOL,
  -- Whether its frame was late.
  is_janky BOOL,
  -- Whether a fling made the update.
  is_inertial BOOL,
  -- Whether the scroll starts with it.
  is_first_scroll_update_in_scroll BOOL,
  -- Whether it is the first of its frame's updates.
  is_first_scroll_update_in_frame BOOL,
  -- Age of the browser process when the input was generated, ns.
  browser_uptime_dur DURATION,
  -- When the system generated the input.
  generation_ts TIMESTAMP,
  -- From generation to the end of Android's InputReader, ns.
  input_reader_dur DURATION,
  -- From the end of the InputReader to that of the InputDispatcher, ns.
  input_dispatcher_dur DURATION,
  -- Since the scroll's previous input was generated, ns.
  since_previous_generation_dur DURATION,
  -- From generation to the browser's main thread, ns.
  generation_to_browser_main_dur DURATION,
  -- Main thread of the browser, joins thread.
  browser_utid LONG,
  -- Slice in which the browser received the touch, joins slice.
  touch_move_received_slice_id LONG,
  -- When the browser received the touch.
  touch_move_received_ts TIMESTAMP,
  -- From receiving the touch to creating the scroll update, ns.
  touch_move_processing_dur DURATION,
  -- Slice in which the browser created the update, joins slice.
  scroll_update_created_slice_id LONG,
  -- When the browser started to create the update.
  scroll_update_created_ts TIMESTAMP,
  -- How long the browser took to create and send the update, ns.
  scroll_update_processing_dur DURATION,
  -- When the browser had sent the update.
  scroll_update_created_end_ts TIMESTAMP,
  -- From the browser's sending to the renderer's compositor, ns.
  browser_to_compositor_delay_dur DURATION,
  -- Compositor thread of the renderer, joins thread.
  compositor_utid LONG,
  -- Slice in which the compositor dispatched the update, joins slice.
  compositor_dispatch_slice_id LONG,
  -- When the compositor's task began that dispatched the update.
  compositor_dispatch_ts TIMESTAMP,
  -- How long the compositor took to dispatch the update, ns.
  compositor_dispatch_dur DURATION,
  -- When the compositor had dispatched the update.
  compositor_dispatch_end_ts TIMESTAMP,
  -- How long the update waited for a frame to begin, ns.
  compositor_dispatch_to_on_begin_frame_delay_dur DURATION,
  -- Slice in which the touch was resampled, joins slice.
  compositor_resample_slice_id LONG,
  -- Slice in which coalesced updates were handled, joins slice.
  compositor_coalesced_input_handled_slice_id LONG,
  -- When the compositor started on the frame's input.
  compositor_on_begin_frame_ts TIMESTAMP,
  -- How long the compositor worked on the frame's input, ns.
  compositor_on_begin_frame_dur DURATION,
  -- When the frame's input was handled.
  compositor_on_begin_frame_end_ts TIMESTAMP,
  -- From the frame's input being handled to the frame being generated, ns.
  compositor_on_begin_frame_to_generation_delay_dur DURATION,
  -- Slice in which the frame was generated, joins slice.
  compositor_generate_compositor_frame_slice_id LONG,
  -- When the compositor started to generate the frame.
  compositor_generate_compositor_frame_ts TIMESTAMP,
  -- From starting to generate the frame to submitting it, ns.
  compositor_generate_frame_to_submit_frame_dur DURATION,
  -- Slice in which the frame was submitted, joins slice.
  compositor_submit_compositor_frame_slice_id LONG,
  -- When the compositor started to submit the frame.
  compositor_submit_compositor_frame_ts TIMESTAMP,
  -- How long it took to submit the frame, ns.
  compositor_submit_frame_dur DURATION,
  -- When the frame was submitted.
  compositor_submit_compositor_frame_end_ts TIMESTAMP,
  -- From the compositor to viz, in the GPU process, ns.
  compositor_to_viz_delay_dur DURATION,
  -- Compositor thread of viz, joins thread.
  viz_compositor_utid LONG,
  -- Slice in which viz received the frame, joins slice.
  viz_receive_compositor_frame_slice_id LONG,
  -- When viz started to receive the frame.
  viz_receive_compositor_frame_ts TIMESTAMP,
  -- How long viz took to receive the frame, ns.
  viz_receive_compositor_frame_dur DURATION,
  -- When viz had received the frame.
  viz_receive_compositor_frame_end_ts TIMESTAMP,
  -- How long the frame waited in viz until it was drawn, ns.
  viz_wait_for_draw_dur DURATION,
  -- Slice in which viz drew the frame, joins slice.
  viz_draw_and_swap_slice_id LONG,
  -- When viz started to draw the frame.
  viz_draw_and_swap_ts TIMESTAMP,
  -- From viz starting to draw until it had sent the swap of buffers, ns.
  viz_draw_and_swap_dur DURATION,
  -- Slice in which viz sent the swap of buffers, joins slice.
  viz_send_buffer_swap_slice_id LONG,
  -- When viz had sent the swap of buffers.
  viz_send_buffer_swap_end_ts TIMESTAMP,
  -- From viz to the GPU's main thread, ns.
  viz_to_gpu_delay_dur DURATION,
  -- Main thread of the GPU process, joins thread.
  viz_gpu_thread_utid LONG,
  -- Slice in which the buffers were swapped, joins slice.
  viz_swap_buffers_slice_id LONG,
  -- When the swap of buffers started.
  viz_swap_buffers_ts TIMESTAMP,
  -- How long the swap of buffers took, ns.
  viz_swap_buffers_dur DURATION,
  -- When the buffers were swapped.
  viz_swap_buffers_end_ts TIMESTAMP,
  -- From the buffers being swapped until the system took the buffer, ns.
  viz_swap_buffers_to_latch_dur DURATION,
  -- When the buffer may be written to.
  buffer_available_timestamp TIMESTAMP,
  -- From the buffer being available to the frame being in it, ns.
  buffer_available_to_ready_dur DURATION,
  -- When the frame is in the buffer.
  buffer_ready_timestamp TIMESTAMP,
  -- When the system took the buffer.
  latch_timestamp TIMESTAMP,
  -- From the system taking the buffer to its being shown, ns.
  viz_latch_to_presentation_dur DURATION,
  -- When the frame was shown, ns of trace time.
  presentation_timestamp TIMESTAMP
) AS
SELECT input.id, input.scroll_id, lag(input.id) OVER by_scroll AS previous_input_id,
  frame.display_trace_id AS frame_display_id, frame.vsync_interval_ms, input.is_presented,
  input.is_janky, input.is_inertial, input.is_first_scroll_update_in_scroll,
  input.is_first_scroll_update_in_frame,
  input.generation_ts - process.start_ts AS browser_uptime_dur, input.generation_ts,
  input.input_reader_processing_end_ts - input.generation_ts AS input_reader_dur,
  input.input_dispatcher_processing_end_ts - input.input_reader_processing_end_ts
    AS input_dispatcher_dur,
  input.generation_ts - lag(input.generation_ts) OVER by_scroll AS since_previous_generation_dur,
  input.generation_to_browser_main_dur, input.browser_utid, input.touch_move_received_slice_id,
  input.touch_move_received_ts, input.touch_move_processing_dur,
  input.scroll_update_created_slice_id, input.scroll_update_created_ts,
  input.scroll_update_processing_dur, input.scroll_update_created_end_ts,
  input.browser_to_compositor_delay_dur, input.compositor_utid, input.compositor_dispatch_slice_id,
  input.compositor_dispatch_ts, input.compositor_dispatch_dur, input.compositor_dispatch_end_ts,
  coalesce(frame.compositor_resample_ts,
    input.compositor_coalesced_input_handled_ts) - input.compositor_dispatch_end_ts
    AS compositor_dispatch_to_on_begin_frame_delay_dur,
  frame.compositor_resample_slice_id, input.compositor_coalesced_input_handled_slice_id,
  coalesce(frame.compositor_resample_ts, input.compositor_coalesced_input_handled_ts)
    AS compositor_on_begin_frame_ts,
  input.compositor_coalesced_input_handled_end_ts - coalesce(frame.compositor_resample_ts,
    input.compositor_coalesced_input_handled_ts) AS compositor_on_begin_frame_dur,
  input.compositor_coalesced_input_handled_end_ts AS compositor_on_begin_frame_end_ts,
  frame.compositor_generate_compositor_frame_ts - input.compositor_coalesced_input_handled_end_ts
    AS compositor_on_begin_frame_to_generation_delay_dur,
  frame.compositor_generate_compositor_frame_slice_id,
  frame.compositor_generate_compositor_frame_ts,
  frame.compositor_generate_frame_to_submit_frame_dur,
  frame.compositor_submit_compositor_frame_slice_id, frame.compositor_submit_compositor_frame_ts,
  frame.compositor_submit_frame_dur, frame.compositor_submit_compositor_frame_end_ts,
  frame.compositor_to_viz_delay_dur, frame.viz_compositor_utid,
  frame.viz_receive_compositor_frame_slice_id, frame.viz_receive_compositor_frame_ts,
  frame.viz_receive_compositor_frame_dur, frame.viz_receive_compositor_frame_end_ts,
  frame.viz_wait_for_draw_dur, frame.viz_draw_and_swap_slice_id, frame.viz_draw_and_swap_ts,
  frame.viz_draw_and_swap_dur, frame.viz_send_buffer_swap_slice_id,
  frame.viz_send_buffer_swap_end_ts, frame.viz_to_gpu_delay_dur, frame.viz_gpu_thread_utid,
  frame.viz_swap_buffers_slice_id, frame.viz_swap_buffers_ts, frame.viz_swap_buffers_dur,
  frame.viz_swap_buffers_end_ts, frame.viz_swap_buffers_to_latch_dur,
  frame.buffer_available_timestamp, frame.buffer_available_to_ready_dur,
  frame.buffer_ready_timestamp, frame.latch_timestamp, frame.viz_latch_to_presentation_dur,
  frame.presentation_timestamp
FROM chrome_scroll_update_input_pipeline AS input
LEFT JOIN chrome_scroll_update_frame_pipeline AS frame ON frame.id = input.presented_in_frame_id
LEFT JOIN thread ON thread.utid = input.browser_utid
LEFT JOIN process ON process.upid = thread.upid
WINDOW by_scroll AS (PARTITION BY input.scroll_id ORDER BY input.generation_ts);

-- How much longer a stage took than it did for the frame before.
CREATE PERFETTO MACRO _since_previous_frame(duration Expr) RETURNS Expr AS
($duration - lag($duration) OVER by_scroll);

-- Frames on the display. The stages are those of the first update that a frame shows; `delta_y` is
-- of all of them, as the touches moved and as the page did.
CREATE PERFETTO TABLE chrome_scroll_frame_info(
  -- Frame on the display, as frame_display_id in chrome_scroll_update_info.
  id LONG,
  -- Scroll, joins chrome_scrolls.
  scroll_id LONG,
  -- Last update of the previous frame, joins chrome_scroll_update_info.
  last_input_before_this_frame_id LONG,
  -- Time between VSyncs, ms.
  vsync_interval_ms DOUBLE,
  -- Time between VSyncs, ns.
  vsync_interval_dur DURATION,
  -- Whether its frame was late.
  is_janky BOOL,
  -- Whether a fling made its first update.
  is_inertial BOOL,
  -- Vertical distance that the touches ask for, pixels.
  total_input_delta_y DOUBLE,
  -- Vertical distance that the page moved, pixels.
  presented_scrolled_delta_y DOUBLE,
  -- Age of the browser process when the input was generated, ns.
  browser_uptime_dur DURATION,
  -- When the frame's first input was generated.
  first_input_generation_ts TIMESTAMP,
  -- From generation to the end of Android's InputReader, ns.
  input_reader_dur DURATION,
  -- From the end of the InputReader to that of the InputDispatcher, ns.
  input_dispatcher_dur DURATION,
  -- From the previous frame's last input to this one's first, ns.
  previous_last_input_to_first_input_generation_dur DURATION,
  -- When the frame was shown.
  presentation_ts TIMESTAMP,
  -- Main thread of the browser, joins thread.
  browser_utid JOINID(thread.id),
  -- From generation to the browser's main thread, ns.
  first_input_generation_to_browser_main_dur DURATION,
  -- By how much first_input_generation_to_browser_main_dur exceeds that of the scroll's previous
  -- frame, ns.
  first_input_generation_to_browser_main_delta_dur DURATION,
  -- From receiving the touch to creating the scroll update, ns.
  first_input_touch_move_processing_dur DURATION,
  -- By how much first_input_touch_move_processing_dur exceeds that of the scroll's previous frame,
  -- ns.
  first_input_touch_move_processing_delta_dur DURATION,
  -- Compositor thread of the renderer, joins thread.
  compositor_utid JOINID(thread.id),
  -- From the browser's sending to the renderer's compositor, ns.
  first_input_browser_to_compositor_delay_dur DURATION,
  -- By how much first_input_browser_to_compositor_delay_dur exceeds that of the scroll's previous
  -- frame, ns.
  first_input_browser_to_compositor_delay_delta_dur DURATION,
  -- How long the compositor took to dispatch the update, ns.
  first_input_compositor_dispatch_dur DURATION,
  -- By how much first_input_compositor_dispatch_dur exceeds that of the scroll's previous frame,
  -- ns.
  first_input_compositor_dispatch_delta_dur DURATION,
  -- How long the update waited for a frame to begin, ns.
  first_input_compositor_dispatch_to_on_begin_frame_delay_dur DURATION,
  -- By how much first_input_compositor_dispatch_to_on_begin_frame_delay_dur exceeds that of the
  -- scroll's previous frame, ns.
  first_input_compositor_dispatch_to_on_begin_frame_delay_delta_dur DURATION,
  -- How long the compositor worked on the frame's input, ns.
  compositor_on_begin_frame_dur DURATION,
  -- By how much compositor_on_begin_frame_dur exceeds that of the scroll's previous frame, ns.
  compositor_on_begin_frame_delta_dur DURATION,
  -- From the frame's input being handled to the frame being generated, ns.
  compositor_on_begin_frame_to_generation_delay_dur DURATION,
  -- By how much compositor_on_begin_frame_to_generation_delay_dur exceeds that of the scroll's
  -- previous frame, ns.
  compositor_on_begin_frame_to_generation_delay_delta_dur DURATION,
  -- From starting to generate the frame to submitting it, ns.
  compositor_generate_frame_to_submit_frame_dur DURATION,
  -- By how much compositor_generate_frame_to_submit_frame_dur exceeds that of the scroll's previous
  -- frame, ns.
  compositor_generate_frame_to_submit_frame_delta_dur DURATION,
  -- How long it took to submit the frame, ns.
  compositor_submit_frame_dur DURATION,
  -- By how much compositor_submit_frame_dur exceeds that of the scroll's previous frame, ns.
  compositor_submit_frame_delta_dur DURATION,
  -- Compositor thread of viz, joins thread.
  viz_compositor_utid JOINID(thread.id),
  -- From the compositor to viz, in the GPU process, ns.
  compositor_to_viz_delay_dur DURATION,
  -- By how much compositor_to_viz_delay_dur exceeds that of the scroll's previous frame, ns.
  compositor_to_viz_delay_delta_dur DURATION,
  -- How long viz took to receive the frame, ns.
  viz_receive_compositor_frame_dur DURATION,
  -- By how much viz_receive_compositor_frame_dur exceeds that of the scroll's previous frame, ns.
  viz_receive_compositor_frame_delta_dur DURATION,
  -- How long the frame waited in viz until it was drawn, ns.
  viz_wait_for_draw_dur DURATION,
  -- By how much viz_wait_for_draw_dur exceeds that of the scroll's previous frame, ns.
  viz_wait_for_draw_delta_dur DURATION,
  -- From viz starting to draw until it had sent the swap of buffers, ns.
  viz_draw_and_swap_dur DURATION,
  -- By how much viz_draw_and_swap_dur exceeds that of the scroll's previous frame, ns.
  viz_draw_and_swap_delta_dur DURATION,
  -- Main thread of the GPU process, joins thread.
  viz_gpu_thread_utid JOINID(thread.id),
  -- From viz to the GPU's main thread, ns.
  viz_to_gpu_delay_dur DURATION,
  -- By how much viz_to_gpu_delay_dur exceeds that of the scroll's previous frame, ns.
  viz_to_gpu_delay_delta_dur DURATION,
  -- How long the swap of buffers took, ns.
  viz_swap_buffers_dur DURATION,
  -- By how much viz_swap_buffers_dur exceeds that of the scroll's previous frame, ns.
  viz_swap_buffers_delta_dur DURATION,
  -- From the buffers being swapped until the system took the buffer, ns.
  viz_swap_buffers_to_latch_dur DURATION,
  -- By how much viz_swap_buffers_to_latch_dur exceeds that of the scroll's previous frame, ns.
  viz_swap_buffers_to_latch_delta_dur DURATION,
  -- From the buffer being available to the frame being in it, ns.
  buffer_available_to_ready_dur DURATION,
  -- By how much buffer_available_to_ready_dur exceeds that of the scroll's previous frame, ns.
  buffer_available_to_ready_delta_dur DURATION,
  -- From the system taking the buffer to its being shown, ns.
  viz_latch_to_presentation_dur DURATION,
  -- By how much viz_latch_to_presentation_dur exceeds that of the scroll's previous frame, ns.
  viz_latch_to_presentation_delta_dur DURATION
) AS
SELECT frame.frame_display_id AS id, frame.scroll_id,
  frame.previous_input_id AS last_input_before_this_frame_id, frame.vsync_interval_ms,
  CAST(frame.vsync_interval_ms * 1e6 AS INTEGER) AS vsync_interval_dur, inputs.is_janky,
  frame.is_inertial, inputs.input_delta AS total_input_delta_y,
  inputs.presented_delta AS presented_scrolled_delta_y, frame.browser_uptime_dur,
  frame.generation_ts AS first_input_generation_ts, frame.input_reader_dur,
  frame.input_dispatcher_dur,
  frame.since_previous_generation_dur AS previous_last_input_to_first_input_generation_dur,
  frame.presentation_timestamp AS presentation_ts, frame.browser_utid,
  frame.generation_to_browser_main_dur AS first_input_generation_to_browser_main_dur,
  _since_previous_frame!(frame.generation_to_browser_main_dur)
    AS first_input_generation_to_browser_main_delta_dur,
  frame.touch_move_processing_dur AS first_input_touch_move_processing_dur,
  _since_previous_frame!(frame.touch_move_processing_dur)
    AS first_input_touch_move_processing_delta_dur,
  frame.compositor_utid,
  frame.browser_to_compositor_delay_dur AS first_input_browser_to_compositor_delay_dur,
  _since_previous_frame!(frame.browser_to_compositor_delay_dur)
    AS first_input_browser_to_compositor_delay_delta_dur,
  frame.compositor_dispatch_dur AS first_input_compositor_dispatch_dur,
  _since_previous_frame!(frame.compositor_dispatch_dur)
    AS first_input_compositor_dispatch_delta_dur,
  frame.compositor_dispatch_to_on_begin_frame_delay_dur
    AS first_input_compositor_dispatch_to_on_begin_frame_delay_dur,
  _since_previous_frame!(frame.compositor_dispatch_to_on_begin_frame_delay_dur)
    AS first_input_compositor_dispatch_to_on_begin_frame_delay_delta_dur,
  frame.compositor_on_begin_frame_dur,
  _since_previous_frame!(frame.compositor_on_begin_frame_dur)
    AS compositor_on_begin_frame_delta_dur,
  frame.compositor_on_begin_frame_to_generation_delay_dur,
  _since_previous_frame!(frame.compositor_on_begin_frame_to_generation_delay_dur)
    AS compositor_on_begin_frame_to_generation_delay_delta_dur,
  frame.compositor_generate_frame_to_submit_frame_dur,
  _since_previous_frame!(frame.compositor_generate_frame_to_submit_frame_dur)
    AS compositor_generate_frame_to_submit_frame_delta_dur,
  frame.compositor_submit_frame_dur,
  _since_previous_frame!(frame.compositor_submit_frame_dur) AS compositor_submit_frame_delta_dur,
  frame.viz_compositor_utid, frame.compositor_to_viz_delay_dur,
  _since_previous_frame!(frame.compositor_to_viz_delay_dur) AS compositor_to_viz_delay_delta_dur,
  frame.viz_receive_compositor_frame_dur,
  _since_previous_frame!(frame.viz_receive_compositor_frame_dur)
    AS viz_receive_compositor_frame_delta_dur,
  frame.viz_wait_for_draw_dur,
  _since_previous_frame!(frame.viz_wait_for_draw_dur) AS viz_wait_for_draw_delta_dur,
  frame.viz_draw_and_swap_dur,
  _since_previous_frame!(frame.viz_draw_and_swap_dur) AS viz_draw_and_swap_delta_dur,
  frame.viz_gpu_thread_utid, frame.viz_to_gpu_delay_dur,
  _since_previous_frame!(frame.viz_to_gpu_delay_dur) AS viz_to_gpu_delay_delta_dur,
  frame.viz_swap_buffers_dur,
  _since_previous_frame!(frame.viz_swap_buffers_dur) AS viz_swap_buffers_delta_dur,
  frame.viz_swap_buffers_to_latch_dur,
  _since_previous_frame!(frame.viz_swap_buffers_to_latch_dur)
    AS viz_swap_buffers_to_latch_delta_dur,
  frame.buffer_available_to_ready_dur,
  _since_previous_frame!(frame.buffer_available_to_ready_dur)
    AS buffer_available_to_ready_delta_dur,
  frame.viz_latch_to_presentation_dur,
  _since_previous_frame!(frame.viz_latch_to_presentation_dur) AS viz_latch_to_presentation_delta_dur
FROM (
  SELECT *, row_number() OVER (PARTITION BY frame_display_id ORDER BY generation_ts) AS number
  FROM chrome_scroll_update_info
  WHERE frame_display_id IS NOT NULL
) AS frame
JOIN (
  SELECT frame_display_id, max(is_janky) AS is_janky, sum(touch.delta_y) AS input_delta,
    sum(page.delta_y) AS presented_delta
  FROM chrome_scroll_update_info AS updates
  LEFT JOIN chrome_scroll_input_deltas AS touch ON touch.scroll_update_id = updates.id
  LEFT JOIN chrome_scroll_presented_deltas AS page ON page.scroll_update_id = updates.id
  GROUP BY frame_display_id
) AS inputs USING (frame_display_id)
WHERE frame.number = 1
WINDOW by_scroll AS (PARTITION BY frame.scroll_id ORDER BY frame.presentation_timestamp)
ORDER BY frame.presentation_timestamp;

-- The stages in their order, as columns of chrome_scroll_update_info.
CREATE PERFETTO TABLE chrome_scroll_update_info_step_templates(
  -- Name of the stage.
  step_name STRING,
  -- Column with its start.
  ts_column_name STRING,
  -- Column with its duration, NULL for the last one.
  dur_column_name STRING
) AS
SELECT column1 AS step_name, column2 AS ts_column_name, column3 AS dur_column_name
FROM (VALUES
  ('GenerationToBrowserMain', 'generation_ts', 'generation_to_browser_main_dur'),
  ('TouchMoveProcessing', 'touch_move_received_ts', 'touch_move_processing_dur'),
  ('ScrollUpdateProcessing', 'scroll_update_created_ts', 'scroll_update_processing_dur'),
  ('BrowserMainToRendererCompositor', 'scroll_update_created_end_ts',
    'browser_to_compositor_delay_dur'),
  ('RendererCompositorDispatch', 'compositor_dispatch_ts', 'compositor_dispatch_dur'),
  ('RendererCompositorDispatchToOnBeginFrame', 'compositor_dispatch_end_ts',
    'compositor_dispatch_to_on_begin_frame_delay_dur'),
  ('RendererCompositorBeginFrame', 'compositor_on_begin_frame_ts', 'compositor_on_begin_frame_dur'),
  ('RendererCompositorBeginToGenerateFrame', 'compositor_on_begin_frame_end_ts',
    'compositor_on_begin_frame_to_generation_delay_dur'),
  ('RendererCompositorGenerateToSubmitFrame', 'compositor_generate_compositor_frame_ts',
    'compositor_generate_frame_to_submit_frame_dur'),
  ('RendererCompositorSubmitFrame', 'compositor_submit_compositor_frame_ts',
    'compositor_submit_frame_dur'),
  ('RendererCompositorToViz', 'compositor_submit_compositor_frame_end_ts',
    'compositor_to_viz_delay_dur'),
  ('VizReceiveFrame', 'viz_receive_compositor_frame_ts', 'viz_receive_compositor_frame_dur'),
  ('VizReceiveToDrawFrame', 'viz_receive_compositor_frame_end_ts', 'viz_wait_for_draw_dur'),
  ('VizDrawToSwapFrame', 'viz_draw_and_swap_ts', 'viz_draw_and_swap_dur'),
  ('VizToGpu', 'viz_send_buffer_swap_end_ts', 'viz_to_gpu_delay_dur'),
  ('VizSwapBuffers', 'viz_swap_buffers_ts', 'viz_swap_buffers_dur'),
  ('VizSwapBuffersToLatch', 'viz_swap_buffers_end_ts', 'viz_swap_buffers_to_latch_dur'),
  ('VizLatchToPresentation', 'latch_timestamp', 'viz_latch_to_presentation_dur'),
  ('Presentation', 'presentation_timestamp', NULL));
