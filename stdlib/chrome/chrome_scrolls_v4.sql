-- Frames of scrolls as the fourth version of Chrome's scroll jank metric judges them.

INCLUDE PERFETTO MODULE chrome.chrome_scrolls;
INCLUDE PERFETTO MODULE chrome.scroll_jank_v4;

-- What frames only have where their first update comes from an input, or where they changed what is
-- on the screen.
CREATE PERFETTO MACRO _of_real(value Expr) RETURNS Expr AS
iif(result.first_scroll_update_type = 'REAL', $value, NULL);

CREATE PERFETTO MACRO _of_damaging(value Expr) RETURNS Expr AS
iif(result.damage_type = 'DAMAGING', $value, NULL);

CREATE PERFETTO TABLE chrome_scroll_frame_info_v4(
  id JOINID(slice.id), scroll_update_latency_id LONG, scroll_id LONG, vsync_interval_dur DURATION,
  is_janky BOOL, is_inertial BOOL, frame_index_in_scroll LONG,
  real_abs_total_raw_delta_pixels DOUBLE, real_total_raw_delta_pixels DOUBLE,
  browser_uptime_dur DURATION, first_input_generation_ts TIMESTAMP, input_reader_dur DURATION,
  input_dispatcher_dur DURATION, previous_last_input_to_first_input_generation_dur DURATION,
  browser_utid JOINID(thread.id), first_input_generation_to_browser_main_dur DURATION,
  first_input_generation_to_browser_main_delta_dur DURATION,
  first_input_touch_move_received_slice_id JOINID(slice.id),
  first_input_touch_move_received_ts TIMESTAMP, first_input_touch_move_processing_dur DURATION,
  first_input_touch_move_processing_delta_dur DURATION,
  first_input_scroll_update_created_slice_id JOINID(slice.id),
  first_input_scroll_update_created_ts TIMESTAMP, first_input_scroll_update_processing_dur DURATION,
  first_input_scroll_update_processing_delta_dur DURATION,
  first_input_scroll_update_created_end_ts TIMESTAMP,
  first_input_browser_to_compositor_delay_dur DURATION,
  first_input_browser_to_compositor_delay_delta_dur DURATION, compositor_utid JOINID(thread.id),
  first_input_compositor_dispatch_slice_id JOINID(slice.id),
  first_input_compositor_dispatch_ts TIMESTAMP, first_input_compositor_dispatch_dur DURATION,
  first_input_compositor_dispatch_delta_dur DURATION,
  first_input_compositor_dispatch_end_ts TIMESTAMP,
  first_input_compositor_dispatch_to_on_begin_frame_delay_dur DURATION,
  first_input_compositor_dispatch_to_on_begin_frame_delay_delta_dur DURATION,
  compositor_resample_slice_id JOINID(slice.id),
  compositor_coalesced_input_handled_slice_id JOINID(slice.id),
  compositor_on_begin_frame_ts TIMESTAMP, compositor_on_begin_frame_dur DURATION,
  compositor_on_begin_frame_delta_dur DURATION, compositor_on_begin_frame_end_ts TIMESTAMP,
  compositor_on_begin_frame_to_generation_delay_dur DURATION,
  compositor_on_begin_frame_to_generation_delay_delta_dur DURATION,
  compositor_generate_compositor_frame_slice_id JOINID(slice.id),
  compositor_generate_compositor_frame_ts TIMESTAMP,
  compositor_generate_frame_to_submit_frame_dur DURATION,
  compositor_generate_frame_to_submit_frame_delta_dur DURATION,
  compositor_submit_compositor_frame_slice_id JOINID(slice.id),
  compositor_submit_compositor_frame_ts TIMESTAMP, compositor_submit_frame_dur DURATION,
  compositor_submit_frame_delta_dur DURATION, compositor_submit_compositor_frame_end_ts TIMESTAMP,
  viz_compositor_utid JOINID(thread.id), compositor_to_viz_delay_dur DURATION,
  compositor_to_viz_delay_delta_dur DURATION,
  viz_receive_compositor_frame_slice_id JOINID(slice.id), viz_receive_compositor_frame_ts TIMESTAMP,
  viz_receive_compositor_frame_dur DURATION, viz_receive_compositor_frame_delta_dur DURATION,
  viz_receive_compositor_frame_end_ts TIMESTAMP, viz_wait_for_draw_dur DURATION,
  viz_wait_for_draw_delta_dur DURATION, viz_draw_and_swap_slice_id JOINID(slice.id),
  viz_draw_and_swap_ts TIMESTAMP, viz_draw_and_swap_dur DURATION,
  viz_draw_and_swap_delta_dur DURATION, viz_send_buffer_swap_slice_id JOINID(slice.id),
  viz_send_buffer_swap_end_ts TIMESTAMP, viz_gpu_thread_utid JOINID(thread.id),
  viz_to_gpu_delay_dur DURATION, viz_to_gpu_delay_delta_dur DURATION,
  viz_swap_buffers_slice_id JOINID(slice.id), viz_swap_buffers_ts TIMESTAMP,
  viz_swap_buffers_dur DURATION, viz_swap_buffers_delta_dur DURATION,
  viz_swap_buffers_end_ts TIMESTAMP, viz_swap_buffers_to_latch_dur DURATION,
  viz_swap_buffers_to_latch_delta_dur DURATION, buffer_available_timestamp TIMESTAMP,
  buffer_available_to_ready_dur DURATION, buffer_available_to_ready_delta_dur DURATION,
  buffer_ready_timestamp TIMESTAMP, latch_timestamp TIMESTAMP,
  viz_latch_to_presentation_dur DURATION, viz_latch_to_presentation_delta_dur DURATION,
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
