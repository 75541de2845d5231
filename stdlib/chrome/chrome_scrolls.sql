-- Scrolls in Chrome: how each update of a scroll came from the input to the display.

INCLUDE PERFETTO MODULE chrome.event_latency;
INCLUDE PERFETTO MODULE chrome.graphics_pipeline;
INCLUDE PERFETTO MODULE chrome.input;
INCLUDE PERFETTO MODULE chrome.scroll_jank.scroll_offsets;

-- The ids by which an update's events are known: of the touch, of the update that it was shown
-- with, and of the surface's and the display's frame.
CREATE PERFETTO TABLE chrome_scroll_update_refs(
  scroll_update_latency_id LONG, touch_move_latency_id LONG, presentation_latency_id LONG,
  surface_frame_id LONG, display_trace_id LONG
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
  id LONG, scroll_id LONG, presented_in_frame_id LONG, is_presented BOOL, is_janky BOOL,
  is_inertial BOOL, is_first_scroll_update_in_scroll BOOL, is_first_scroll_update_in_frame BOOL,
  generation_ts TIMESTAMP, input_reader_processing_end_ts TIMESTAMP,
  input_dispatcher_processing_end_ts TIMESTAMP, generation_to_browser_main_dur DURATION,
  browser_utid LONG, touch_move_received_slice_id LONG, touch_move_received_ts TIMESTAMP,
  touch_move_processing_dur DURATION, scroll_update_created_slice_id LONG,
  scroll_update_created_ts TIMESTAMP, scroll_update_processing_dur DURATION,
  scroll_update_created_end_ts TIMESTAMP, browser_to_compositor_delay_dur DURATION,
  compositor_utid LONG, compositor_dispatch_slice_id LONG, compositor_dispatch_ts TIMESTAMP,
  compositor_dispatch_dur DURATION, compositor_dispatch_end_ts TIMESTAMP,
  compositor_dispatch_to_coalesced_input_handled_dur DURATION,
  compositor_coalesced_input_handled_slice_id LONG, compositor_coalesced_input_handled_ts TIMESTAMP,
  compositor_coalesced_input_handled_dur DURATION,
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
  id LONG, display_trace_id LONG, vsync_interval_ms DOUBLE, compositor_resample_slice_id LONG,
  compositor_resample_ts TIMESTAMP, compositor_receive_begin_frame_ts TIMESTAMP,
  compositor_generate_compositor_frame_slice_id LONG,
  compositor_generate_compositor_frame_ts TIMESTAMP,
  compositor_generate_frame_to_submit_frame_dur DURATION,
  compositor_submit_compositor_frame_slice_id LONG, compositor_submit_compositor_frame_ts TIMESTAMP,
  compositor_submit_frame_dur DURATION, compositor_submit_compositor_frame_end_ts TIMESTAMP,
  compositor_to_viz_delay_dur DURATION, viz_compositor_utid LONG,
  viz_receive_compositor_frame_slice_id LONG, viz_receive_compositor_frame_ts TIMESTAMP,
  viz_receive_compositor_frame_dur DURATION, viz_receive_compositor_frame_end_ts TIMESTAMP,
  viz_wait_for_draw_dur DURATION, viz_draw_and_swap_slice_id LONG, viz_draw_and_swap_ts TIMESTAMP,
  viz_draw_and_swap_dur DURATION, viz_send_buffer_swap_slice_id LONG,
  viz_send_buffer_swap_end_ts TIMESTAMP, viz_to_gpu_delay_dur DURATION, viz_gpu_thread_utid LONG,
  viz_swap_buffers_slice_id LONG, viz_swap_buffers_ts TIMESTAMP, viz_swap_buffers_dur DURATION,
  viz_swap_buffers_end_ts TIMESTAMP, viz_swap_buffers_to_latch_dur DURATION,
  buffer_available_timestamp TIMESTAMP, buffer_available_to_ready_dur DURATION,
  buffer_ready_timestamp TIMESTAMP, latch_timestamp TIMESTAMP,
  viz_latch_to_presentation_dur DURATION, presentation_timestamp TIMESTAMP
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

-- A scroll's beginning comes before its first update, its end behind the last one.
CREATE PERFETTO TABLE chrome_scrolls(
  id LONG, ts TIMESTAMP, dur DURATION, gesture_scroll_begin_ts TIMESTAMP,
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
  id LONG, scroll_id LONG, previous_input_id LONG, frame_display_id LONG, vsync_interval_ms DOUBLE,
  is_presented BOOL, is_janky BOOL, is_inertial BOOL, is_first_scroll_update_in_scroll BOOL,
  is_first_scroll_update_in_frame BOOL, browser_uptime_dur DURATION, generation_ts TIMESTAMP,
  input_reader_dur DURATION, input_dispatcher_dur DURATION, since_previous_generation_dur DURATION,
  generation_to_browser_main_dur DURATION, browser_utid LONG, touch_move_received_slice_id LONG,
  touch_move_received_ts TIMESTAMP, touch_move_processing_dur DURATION,
  scroll_update_created_slice_id LONG, scroll_update_created_ts TIMESTAMP,
  scroll_update_processing_dur DURATION, scroll_update_created_end_ts TIMESTAMP,
  browser_to_compositor_delay_dur DURATION, compositor_utid LONG, compositor_dispatch_slice_id LONG,
  compositor_dispatch_ts TIMESTAMP, compositor_dispatch_dur DURATION,
  compositor_dispatch_end_ts TIMESTAMP, compositor_dispatch_to_on_begin_frame_delay_dur DURATION,
  compositor_resample_slice_id LONG, compositor_coalesced_input_handled_slice_id LONG,
  compositor_on_begin_frame_ts TIMESTAMP, compositor_on_begin_frame_dur DURATION,
  compositor_on_begin_frame_end_ts TIMESTAMP,
  compositor_on_begin_frame_to_generation_delay_dur DURATION,
  compositor_generate_compositor_frame_slice_id LONG,
  compositor_generate_compositor_frame_ts TIMESTAMP,
  compositor_generate_frame_to_submit_frame_dur DURATION,
  compositor_submit_compositor_frame_slice_id LONG, compositor_submit_compositor_frame_ts TIMESTAMP,
  compositor_submit_frame_dur DURATION, compositor_submit_compositor_frame_end_ts TIMESTAMP,
  compositor_to_viz_delay_dur DURATION, viz_compositor_utid LONG,
  viz_receive_compositor_frame_slice_id LONG, viz_receive_compositor_frame_ts TIMESTAMP,
  viz_receive_compositor_frame_dur DURATION, viz_receive_compositor_frame_end_ts TIMESTAMP,
  viz_wait_for_draw_dur DURATION, viz_draw_and_swap_slice_id LONG, viz_draw_and_swap_ts TIMESTAMP,
  viz_draw_and_swap_dur DURATION, viz_send_buffer_swap_slice_id LONG,
  viz_send_buffer_swap_end_ts TIMESTAMP, viz_to_gpu_delay_dur DURATION, viz_gpu_thread_utid LONG,
  viz_swap_buffers_slice_id LONG, viz_swap_buffers_ts TIMESTAMP, viz_swap_buffers_dur DURATION,
  viz_swap_buffers_end_ts TIMESTAMP, viz_swap_buffers_to_latch_dur DURATION,
  buffer_available_timestamp TIMESTAMP, buffer_available_to_ready_dur DURATION,
  buffer_ready_timestamp TIMESTAMP, latch_timestamp TIMESTAMP,
  viz_latch_to_presentation_dur DURATION, presentation_timestamp TIMESTAMP
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
  id LONG, scroll_id LONG, last_input_before_this_frame_id LONG, vsync_interval_ms DOUBLE,
  vsync_interval_dur DURATION, is_janky BOOL, is_inertial BOOL, total_input_delta_y DOUBLE,
  presented_scrolled_delta_y DOUBLE, browser_uptime_dur DURATION,
  first_input_generation_ts TIMESTAMP, input_reader_dur DURATION, input_dispatcher_dur DURATION,
  previous_last_input_to_first_input_generation_dur DURATION, presentation_ts TIMESTAMP,
  browser_utid JOINID(thread.id), first_input_generation_to_browser_main_dur DURATION,
  first_input_generation_to_browser_main_delta_dur DURATION,
  first_input_touch_move_processing_dur DURATION,
  first_input_touch_move_processing_delta_dur DURATION, compositor_utid JOINID(thread.id),
  first_input_browser_to_compositor_delay_dur DURATION,
  first_input_browser_to_compositor_delay_delta_dur DURATION,
  first_input_compositor_dispatch_dur DURATION, first_input_compositor_dispatch_delta_dur DURATION,
  first_input_compositor_dispatch_to_on_begin_frame_delay_dur DURATION,
  first_input_compositor_dispatch_to_on_begin_frame_delay_delta_dur DURATION,
  compositor_on_begin_frame_dur DURATION, compositor_on_begin_frame_delta_dur DURATION,
  compositor_on_begin_frame_to_generation_delay_dur DURATION,
  compositor_on_begin_frame_to_generation_delay_delta_dur DURATION,
  compositor_generate_frame_to_submit_frame_dur DURATION,
  compositor_generate_frame_to_submit_frame_delta_dur DURATION,
  compositor_submit_frame_dur DURATION, compositor_submit_frame_delta_dur DURATION,
  viz_compositor_utid JOINID(thread.id), compositor_to_viz_delay_dur DURATION,
  compositor_to_viz_delay_delta_dur DURATION, viz_receive_compositor_frame_dur DURATION,
  viz_receive_compositor_frame_delta_dur DURATION, viz_wait_for_draw_dur DURATION,
  viz_wait_for_draw_delta_dur DURATION, viz_draw_and_swap_dur DURATION,
  viz_draw_and_swap_delta_dur DURATION, viz_gpu_thread_utid JOINID(thread.id),
  viz_to_gpu_delay_dur DURATION, viz_to_gpu_delay_delta_dur DURATION, viz_swap_buffers_dur DURATION,
  viz_swap_buffers_delta_dur DURATION, viz_swap_buffers_to_latch_dur DURATION,
  viz_swap_buffers_to_latch_delta_dur DURATION, buffer_available_to_ready_dur DURATION,
  buffer_available_to_ready_delta_dur DURATION, viz_latch_to_presentation_dur DURATION,
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
  step_name STRING, ts_column_name STRING, dur_column_name STRING
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
  ('BufferAvailableToBufferReady', 'buffer_available_timestamp', 'buffer_available_to_ready_dur'),
  ('VizLatchToPresentation', 'latch_timestamp', 'viz_latch_to_presentation_dur'),
  ('Presentation', 'presentation_timestamp', NULL));
