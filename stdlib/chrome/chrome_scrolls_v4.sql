-- Frames of scrolls as the fourth version of Chrome's scroll jank metric judges them.

INCLUDE PERFETTO MODULE chrome.chrome_scrolls;
INCLUDE PERFETTO MODULE chrome.scroll_jank_v4;

-- What frames only have where their first update comes from an input, or where they changed what is
-- on the screen.
CREATE PERFETTO MACRO _of_real(value Expr) RETURNS Expr AS
iif(result.first_scroll_update_type = 'REAL', $value, NULL);

CREATE PERFETTO MACRO _of_damaging(value Expr) RETURNS Expr AS
iif(result.damage_type = 'DAMAGING', $value, NULL);

-- Each result with the stages of its first update.
CREATE PERFETTO TABLE chrome_scroll_frame_info_v4(
  -- Result, joins chrome_scroll_jank_v4_results.
  id JOINID(slice.id),
  -- First update, joins chrome_scroll_update_info.id.
  scroll_update_latency_id LONG,
  -- Scroll, joins chrome_scrolls.
  scroll_id LONG,
  -- Time between VSyncs, ns.
  vsync_interval_dur DURATION,
  -- Whether its frame was late.
  is_janky BOOL,
  -- Whether a fling made any of its real updates.
  is_inertial BOOL,
  -- Number of the frame in its scroll, from 1 on.
  frame_index_in_scroll LONG,
  -- Distance that the real updates ask for together, without its sign.
  real_abs_total_raw_delta_pixels DOUBLE,
  -- Distance that the real updates ask for together, pixels.
  real_total_raw_delta_pixels DOUBLE,
  -- Age of the browser process when the input was generated, ns.
  browser_uptime_dur DURATION,
  -- When the first input was generated; NULL, as all about inputs, unless it is real.
  first_input_generation_ts TIMESTAMP,
  -- From generation to the end of Android's InputReader, ns.
  input_reader_dur DURATION,
  -- From the end of the InputReader to that of the InputDispatcher, ns.
  input_dispatcher_dur DURATION,
  -- From the previous frame's last input to this one's first, ns.
  previous_last_input_to_first_input_generation_dur DURATION,
  -- Main thread of the browser, joins thread.
  browser_utid JOINID(thread.id),
  -- From generation to the browser's main thread, ns.
  first_input_generation_to_browser_main_dur DURATION,
  -- By how much first_input_generation_to_browser_main_dur exceeds that of the scroll's previous
  -- frame, ns.
  first_input_generation_to_browser_main_delta_dur DURATION,
  -- Slice in which the browser received the touch, joins slice.
  first_input_touch_move_received_slice_id JOINID(slice.id),
  -- When the browser received the touch.
  first_input_touch_move_received_ts TIMESTAMP,
  -- From receiving the touch to creating the scroll update, ns.
  first_input_touch_move_processing_dur DURATION,
  -- By how much first_input_touch_move_processing_dur exceeds that of the scroll's previous frame,
  -- ns.
  first_input_touch_move_processing_delta_dur DURATION,
  -- Slice in which the browser created the update, joins slice.
  first_input_scroll_update_created_slice_id JOINID(slice.id),
  -- When the browser started to create the update.
  first_input_scroll_update_created_ts TIMESTAMP,
  -- How long the browser took to create and send the update, ns.
  first_input_scroll_update_processing_dur DURATION,
  -- By how much first_input_scroll_update_processing_dur exceeds that of the scroll's previous
  -- frame, ns.
  first_input_scroll_update_processing_delta_dur DURATION,
  -- When the browser had sent the update.
  first_input_scroll_update_created_end_ts TIMESTAMP,
  -- From the browser's sending to the renderer's compositor, ns.
  first_input_browser_to_compositor_delay_dur DURATION,
  -- By how much first_input_browser_to_compositor_delay_dur exceeds that of the scroll's previous
  -- frame, ns.
  first_input_browser_to_compositor_delay_delta_dur DURATION,
  -- Compositor thread of the renderer, joins thread.
  compositor_utid JOINID(thread.id),
  -- Slice in which the compositor dispatched the update, joins slice.
  first_input_compositor_dispatch_slice_id JOINID(slice.id),
  -- When the compositor's task began that dispatched the update.
  first_input_compositor_dispatch_ts TIMESTAMP,
  -- How long the compositor took to dispatch the update, ns.
  first_input_compositor_dispatch_dur DURATION,
  -- By how much first_input_compositor_dispatch_dur exceeds that of the scroll's previous frame,
  -- ns.
  first_input_compositor_dispatch_delta_dur DURATION,
  -- When the compositor had dispatched the update.
  first_input_compositor_dispatch_end_ts TIMESTAMP,
  -- How long the update waited for a frame to begin, ns.
  first_input_compositor_dispatch_to_on_begin_frame_delay_dur DURATION,
  -- By how much first_input_compositor_dispatch_to_on_begin_frame_delay_dur exceeds that of the
  -- scroll's previous frame, ns.
  first_input_compositor_dispatch_to_on_begin_frame_delay_delta_dur DURATION,
  -- Slice in which the touch was resampled, joins slice.
  compositor_resample_slice_id JOINID(slice.id),
  -- Slice in which coalesced updates were handled, joins slice.
  compositor_coalesced_input_handled_slice_id JOINID(slice.id),
  -- When the compositor started on the frame's input.
  compositor_on_begin_frame_ts TIMESTAMP,
  -- How long the compositor worked on the frame's input, ns.
  compositor_on_begin_frame_dur DURATION,
  -- By how much compositor_on_begin_frame_dur exceeds that of the scroll's previous frame, ns.
  compositor_on_begin_frame_delta_dur DURATION,
  -- When the frame's input was handled.
  compositor_on_begin_frame_end_ts TIMESTAMP,
  -- From the frame's input being handled to the frame being generated, ns.
  compositor_on_begin_frame_to_generation_delay_dur DURATION,
  -- By how much compositor_on_begin_frame_to_generation_delay_dur exceeds that of the scroll's
  -- previous frame, ns.
  compositor_on_begin_frame_to_generation_delay_delta_dur DURATION,
  -- Slice in which the frame was generated, joins slice.
  compositor_generate_compositor_frame_slice_id JOINID(slice.id),
  -- When the compositor started to generate the frame.
  compositor_generate_compositor_frame_ts TIMESTAMP,
  -- From starting to generate the frame to submitting it, ns.
  compositor_generate_frame_to_submit_frame_dur DURATION,
  -- By how much compositor_generate_frame_to_submit_frame_dur exceeds that of the scroll's previous
  -- frame, ns.
  compositor_generate_frame_to_submit_frame_delta_dur DURATION,
  -- Slice in which the frame was submitted, joins slice.
  compositor_submit_compositor_frame_slice_id JOINID(slice.id),
  -- When the compositor started to submit the frame.
  compositor_submit_compositor_frame_ts TIMESTAMP,
  -- How long it took to submit the frame, ns.
  compositor_submit_frame_dur DURATION,
  -- By how much compositor_submit_frame_dur exceeds that of the scroll's previous frame, ns.
  compositor_submit_frame_delta_dur DURATION,
  -- When the frame was submitted.
  compositor_submit_compositor_frame_end_ts TIMESTAMP,
  -- Compositor thread of viz, joins thread.
  viz_compositor_utid JOINID(thread.id),
  -- From the compositor to viz, in the GPU process, ns.
  compositor_to_viz_delay_dur DURATION,
  -- By how much compositor_to_viz_delay_dur exceeds that of the scroll's previous frame, ns.
  compositor_to_viz_delay_delta_dur DURATION,
  -- Slice in which viz received the frame, joins slice.
  viz_receive_compositor_frame_slice_id JOINID(slice.id),
  -- When viz started to receive the frame.
  viz_receive_compositor_frame_ts TIMESTAMP,
  -- How long viz took to receive the frame, ns.
  viz_receive_compositor_frame_dur DURATION,
  -- By how much viz_receive_compositor_frame_dur exceeds that of the scroll's previous frame, ns.
  viz_receive_compositor_frame_delta_dur DURATION,
  -- When viz had received the frame.
  viz_receive_compositor_frame_end_ts TIMESTAMP,
  -- How long the frame waited in viz until it was drawn, ns.
  viz_wait_for_draw_dur DURATION,
  -- By how much viz_wait_for_draw_dur exceeds that of the scroll's previous frame, ns.
  viz_wait_for_draw_delta_dur DURATION,
  -- Slice in which viz drew the frame, joins slice.
  viz_draw_and_swap_slice_id JOINID(slice.id),
  -- When viz started to draw the frame.
  viz_draw_and_swap_ts TIMESTAMP,
  -- From viz starting to draw until it had sent the swap of buffers, ns.
  viz_draw_and_swap_dur DURATION,
  -- By how much viz_draw_and_swap_dur exceeds that of the scroll's previous frame, ns.
  viz_draw_and_swap_delta_dur DURATION,
  -- Slice in which viz sent the swap of buffers, joins slice.
  viz_send_buffer_swap_slice_id JOINID(slice.id),
  -- When viz had sent the swap of buffers.
  viz_send_buffer_swap_end_ts TIMESTAMP,
  -- Main thread of the GPU process, joins thread.
  viz_gpu_thread_utid JOINID(thread.id),
  -- From viz to the GPU's main thread, ns.
  viz_to_gpu_delay_dur DURATION,
  -- By how much viz_to_gpu_delay_dur exceeds that of the scroll's previous frame, ns.
  viz_to_gpu_delay_delta_dur DURATION,
  -- Slice in which the buffers were swapped, joins slice.
  viz_swap_buffers_slice_id JOINID(slice.id),
  -- When the swap of buffers started.
  viz_swap_buffers_ts TIMESTAMP,
  -- How long the swap of buffers took, ns.
  viz_swap_buffers_dur DURATION,
  -- By how much viz_swap_buffers_dur exceeds that of the scroll's previous frame, ns.
  viz_swap_buffers_delta_dur DURATION,
  -- When the buffers were swapped.
  viz_swap_buffers_end_ts TIMESTAMP,
  -- From the buffers being swapped until the system took the buffer, ns.
  viz_swap_buffers_to_latch_dur DURATION,
  -- By how much viz_swap_buffers_to_latch_dur exceeds that of the scroll's previous frame, ns.
  viz_swap_buffers_to_latch_delta_dur DURATION,
  -- When the buffer may be written to.
  buffer_available_timestamp TIMESTAMP,
  -- From the buffer being available to the frame being in it, ns.
  buffer_available_to_ready_dur DURATION,
  -- By how much buffer_available_to_ready_dur exceeds that of the scroll's previous frame, ns.
  buffer_available_to_ready_delta_dur DURATION,
  -- When the frame is in the buffer.
  buffer_ready_timestamp TIMESTAMP,
  -- When the system took the buffer.
  latch_timestamp TIMESTAMP,
  -- From the system taking the buffer to its being shown, ns.
  viz_latch_to_presentation_dur DURATION,
  -- By how much viz_latch_to_presentation_dur exceeds that of the scroll's previous frame, ns.
  viz_latch_to_presentation_delta_dur DURATION,
  -- When the frame was shown.
  presentation_ts TIMESTAMP
) AS
SELECT result.id, result.first_event_latency_id AS scroll_update_latency_id, info.scroll_id,
  result.vsync_interval AS vsync_interval_dur, result.is_janky,
  result.real_max_abs_inertial_raw_delta_pixels IS NOT NULL AS is_inertial,
  row_number() OVER by_scroll AS frame_index_in_scroll,
  _of_real!(result.real_abs_total_raw_delta_pixels) AS real_abs_total_raw_delta_pixels,
  _of_real!(result.real_total_raw_delta_pixels) AS real_total_raw_delta_pixels,
  _of_real!(info.browser_uptime_dur) AS browser_uptime_dur,
  _of_real!(info.generation_ts) AS first_input_generation_ts,
  _of_real!(info.input_reader_dur) AS input_reader_dur,
  _of_real!(info.input_dispatcher_dur) AS input_dispatcher_dur,
  _of_real!(info.generation_ts - max(result.real_last_input_generation_ts) OVER before)
    AS previous_last_input_to_first_input_generation_dur,
  _of_real!(info.browser_utid) AS browser_utid,
  _of_real!(info.generation_to_browser_main_dur) AS first_input_generation_to_browser_main_dur,
  _of_real!(_since_previous_frame!(info.generation_to_browser_main_dur))
    AS first_input_generation_to_browser_main_delta_dur,
  _of_real!(info.touch_move_received_slice_id) AS first_input_touch_move_received_slice_id,
  _of_real!(info.touch_move_received_ts) AS first_input_touch_move_received_ts,
  _of_real!(info.touch_move_processing_dur) AS first_input_touch_move_processing_dur,
  _of_real!(_since_previous_frame!(info.touch_move_processing_dur))
    AS first_input_touch_move_processing_delta_dur,
  _of_real!(info.scroll_update_created_slice_id) AS first_input_scroll_update_created_slice_id,
  _of_real!(info.scroll_update_created_ts) AS first_input_scroll_update_created_ts,
  _of_real!(info.scroll_update_processing_dur) AS first_input_scroll_update_processing_dur,
  _of_real!(_since_previous_frame!(info.scroll_update_processing_dur))
    AS first_input_scroll_update_processing_delta_dur,
  _of_real!(info.scroll_update_created_end_ts) AS first_input_scroll_update_created_end_ts,
  _of_real!(info.browser_to_compositor_delay_dur) AS first_input_browser_to_compositor_delay_dur,
  _of_real!(_since_previous_frame!(info.browser_to_compositor_delay_dur))
    AS first_input_browser_to_compositor_delay_delta_dur,
  info.compositor_utid,
  info.compositor_dispatch_slice_id AS first_input_compositor_dispatch_slice_id,
  info.compositor_dispatch_ts AS first_input_compositor_dispatch_ts,
  info.compositor_dispatch_dur AS first_input_compositor_dispatch_dur,
  _since_previous_frame!(info.compositor_dispatch_dur) AS first_input_compositor_dispatch_delta_dur,
  info.compositor_dispatch_end_ts AS first_input_compositor_dispatch_end_ts,
  _of_damaging!(info.compositor_dispatch_to_on_begin_frame_delay_dur)
    AS first_input_compositor_dispatch_to_on_begin_frame_delay_dur,
  _of_damaging!(_since_previous_frame!(info.compositor_dispatch_to_on_begin_frame_delay_dur))
    AS first_input_compositor_dispatch_to_on_begin_frame_delay_delta_dur,
  _of_damaging!(info.compositor_resample_slice_id) AS compositor_resample_slice_id,
  _of_damaging!(info.compositor_coalesced_input_handled_slice_id)
    AS compositor_coalesced_input_handled_slice_id,
  _of_damaging!(info.compositor_on_begin_frame_ts) AS compositor_on_begin_frame_ts,
  _of_damaging!(info.compositor_on_begin_frame_dur) AS compositor_on_begin_frame_dur,
  _of_damaging!(_since_previous_frame!(info.compositor_on_begin_frame_dur))
    AS compositor_on_begin_frame_delta_dur,
  _of_damaging!(info.compositor_on_begin_frame_end_ts) AS compositor_on_begin_frame_end_ts,
  _of_damaging!(info.compositor_on_begin_frame_to_generation_delay_dur)
    AS compositor_on_begin_frame_to_generation_delay_dur,
  _of_damaging!(_since_previous_frame!(info.compositor_on_begin_frame_to_generation_delay_dur))
    AS compositor_on_begin_frame_to_generation_delay_delta_dur,
  _of_damaging!(info.compositor_generate_compositor_frame_slice_id)
    AS compositor_generate_compositor_frame_slice_id,
  _of_damaging!(info.compositor_generate_compositor_frame_ts)
    AS compositor_generate_compositor_frame_ts,
  _of_damaging!(info.compositor_generate_frame_to_submit_frame_dur)
    AS compositor_generate_frame_to_submit_frame_dur,
  _of_damaging!(_since_previous_frame!(info.compositor_generate_frame_to_submit_frame_dur))
    AS compositor_generate_frame_to_submit_frame_delta_dur,
  _of_damaging!(info.compositor_submit_compositor_frame_slice_id)
    AS compositor_submit_compositor_frame_slice_id,
  _of_damaging!(info.compositor_submit_compositor_frame_ts)
    AS compositor_submit_compositor_frame_ts,
  _of_damaging!(info.compositor_submit_frame_dur) AS compositor_submit_frame_dur,
  _of_damaging!(_since_previous_frame!(info.compositor_submit_frame_dur))
    AS compositor_submit_frame_delta_dur,
  _of_damaging!(info.compositor_submit_compositor_frame_end_ts)
    AS compositor_submit_compositor_frame_end_ts,
  _of_damaging!(info.viz_compositor_utid) AS viz_compositor_utid,
  _of_damaging!(info.compositor_to_viz_delay_dur) AS compositor_to_viz_delay_dur,
  _of_damaging!(_since_previous_frame!(info.compositor_to_viz_delay_dur))
    AS compositor_to_viz_delay_delta_dur,
  _of_damaging!(info.viz_receive_compositor_frame_slice_id)
    AS viz_receive_compositor_frame_slice_id,
  _of_damaging!(info.viz_receive_compositor_frame_ts) AS viz_receive_compositor_frame_ts,
  _of_damaging!(info.viz_receive_compositor_frame_dur) AS viz_receive_compositor_frame_dur,
  _of_damaging!(_since_previous_frame!(info.viz_receive_compositor_frame_dur))
    AS viz_receive_compositor_frame_delta_dur,
  _of_damaging!(info.viz_receive_compositor_frame_end_ts) AS viz_receive_compositor_frame_end_ts,
  _of_damaging!(info.viz_wait_for_draw_dur) AS viz_wait_for_draw_dur,
  _of_damaging!(_since_previous_frame!(info.viz_wait_for_draw_dur)) AS viz_wait_for_draw_delta_dur,
  _of_damaging!(info.viz_draw_and_swap_slice_id) AS viz_draw_and_swap_slice_id,
  _of_damaging!(info.viz_draw_and_swap_ts) AS viz_draw_and_swap_ts,
  _of_damaging!(info.viz_draw_and_swap_dur) AS viz_draw_and_swap_dur,
  _of_damaging!(_since_previous_frame!(info.viz_draw_and_swap_dur)) AS viz_draw_and_swap_delta_dur,
  _of_damaging!(info.viz_send_buffer_swap_slice_id) AS viz_send_buffer_swap_slice_id,
  _of_damaging!(info.viz_send_buffer_swap_end_ts) AS viz_send_buffer_swap_end_ts,
  _of_damaging!(info.viz_gpu_thread_utid) AS viz_gpu_thread_utid,
  _of_damaging!(info.viz_to_gpu_delay_dur) AS viz_to_gpu_delay_dur,
  _of_damaging!(_since_previous_frame!(info.viz_to_gpu_delay_dur)) AS viz_to_gpu_delay_delta_dur,
  _of_damaging!(info.viz_swap_buffers_slice_id) AS viz_swap_buffers_slice_id,
  _of_damaging!(info.viz_swap_buffers_ts) AS viz_swap_buffers_ts,
  _of_damaging!(info.viz_swap_buffers_dur) AS viz_swap_buffers_dur,
  _of_damaging!(_since_previous_frame!(info.viz_swap_buffers_dur)) AS viz_swap_buffers_delta_dur,
  _of_damaging!(info.viz_swap_buffers_end_ts) AS viz_swap_buffers_end_ts,
  _of_damaging!(info.viz_swap_buffers_to_latch_dur) AS viz_swap_buffers_to_latch_dur,
  _of_damaging!(_since_previous_frame!(info.viz_swap_buffers_to_latch_dur))
    AS viz_swap_buffers_to_latch_delta_dur,
  _of_damaging!(info.buffer_available_timestamp) AS buffer_available_timestamp,
  _of_damaging!(info.buffer_available_to_ready_dur) AS buffer_available_to_ready_dur,
  _of_damaging!(_since_previous_frame!(info.buffer_available_to_ready_dur))
    AS buffer_available_to_ready_delta_dur,
  _of_damaging!(info.buffer_ready_timestamp) AS buffer_ready_timestamp,
  _of_damaging!(info.latch_timestamp) AS latch_timestamp,
  _of_damaging!(info.viz_latch_to_presentation_dur) AS viz_latch_to_presentation_dur,
  _of_damaging!(_since_previous_frame!(info.viz_latch_to_presentation_dur))
    AS viz_latch_to_presentation_delta_dur,
  _of_damaging!(info.presentation_timestamp) AS presentation_ts
FROM chrome_scroll_jank_v4_results AS result
LEFT JOIN chrome_scroll_update_info AS info ON info.id = result.first_event_latency_id
WINDOW by_scroll AS (PARTITION BY info.scroll_id ORDER BY result.ts),
  before AS (PARTITION BY info.scroll_id ORDER BY result.ts
    ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING)
ORDER BY result.ts;
