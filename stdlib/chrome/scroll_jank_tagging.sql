-- Why frames of scrolls were late.

INCLUDE PERFETTO MODULE chrome.chrome_scrolls;
INCLUDE PERFETTO MODULE chrome.chrome_scrolls_v4;
INCLUDE PERFETTO MODULE time.conversion;

-- Tags of late frames: stages that took longer than they should, inputs that did not come every
-- interval, and frames that waited although an input came each time.
CREATE PERFETTO MACRO _scroll_frame_tags(frames TableOrSubquery) RETURNS TableOrSubquery AS (
  WITH late AS MATERIALIZED (
    SELECT *, previous_last_input_to_first_input_generation_dur * 1.0 / vsync_interval_dur
      AS input_intervals
    FROM $frames
    WHERE is_janky
  )
  SELECT late.id AS frame_id, stage.column1 AS tag
  FROM late
  JOIN (VALUES
    ('long_generation_to_browser_main', 16), ('long_touch_move', 16),
    ('long_browser_to_compositor', 16), ('long_compositor_dispatch', 16),
    ('long_wait_for_begin_frame', 16), ('long_on_begin_frame', 16),
    ('long_on_begin_frame_to_generation', 16), ('long_generate_to_submit', 16),
    ('long_submit_frame', 16), ('long_compositor_to_viz', 16),
    ('long_viz_receive_frame', 16), ('long_viz_wait_for_draw', 16),
    ('long_viz_draw_and_swap', 16), ('long_viz_to_gpu', 6),
    ('long_viz_swap_buffers', 6), ('long_viz_swap_to_latch', 17)) AS stage
  WHERE CASE stage.column1
    WHEN 'long_generation_to_browser_main' THEN first_input_generation_to_browser_main_dur
    WHEN 'long_touch_move' THEN first_input_touch_move_processing_dur
    WHEN 'long_browser_to_compositor' THEN first_input_browser_to_compositor_delay_dur
    WHEN 'long_compositor_dispatch' THEN first_input_compositor_dispatch_dur
    WHEN 'long_wait_for_begin_frame'
      THEN first_input_compositor_dispatch_to_on_begin_frame_delay_dur
    WHEN 'long_on_begin_frame' THEN compositor_on_begin_frame_dur
    WHEN 'long_on_begin_frame_to_generation' THEN compositor_on_begin_frame_to_generation_delay_dur
    WHEN 'long_generate_to_submit' THEN compositor_generate_frame_to_submit_frame_dur
    WHEN 'long_submit_frame' THEN compositor_submit_frame_dur
    WHEN 'long_compositor_to_viz' THEN compositor_to_viz_delay_dur
    WHEN 'long_viz_receive_frame' THEN viz_receive_compositor_frame_dur
    WHEN 'long_viz_wait_for_draw' THEN viz_wait_for_draw_dur
    WHEN 'long_viz_draw_and_swap' THEN viz_draw_and_swap_dur
    WHEN 'long_viz_to_gpu' THEN viz_to_gpu_delay_dur
    WHEN 'long_viz_swap_buffers' THEN viz_swap_buffers_dur
    WHEN 'long_viz_swap_to_latch' THEN viz_swap_buffers_to_latch_dur
    END > stage.column2 * 1000000 -- milliseconds
  UNION ALL
  SELECT id, iif(is_inertial, 'inconsistent_fling_input', 'inconsistent_input')
  FROM late
  WHERE input_intervals >= 1.2
  UNION ALL
  SELECT id, 'infrequent_input_cc_scheduling'
  FROM late
  WHERE input_intervals BETWEEN 0.75 AND 1.2
    AND first_input_compositor_dispatch_to_on_begin_frame_delay_dur > vsync_interval_dur * 0.66
  UNION ALL
  SELECT id, 'infrequent_input_viz_scheduling'
  FROM late
  WHERE input_intervals BETWEEN 0.75 AND 1.2 AND viz_wait_for_draw_dur > vsync_interval_dur * 0.66
);

-- All late frames, with their tags in alphabetical order.
CREATE PERFETTO MACRO _tagged_scroll_frames(
  frames TableOrSubquery, frame_tags TableOrSubquery
) RETURNS TableOrSubquery AS (
  SELECT frame.id AS frame_id, count(tag) > 0 AS tagged, group_concat(tag) AS tags
  FROM $frames AS frame
  LEFT JOIN (SELECT frame_id, tag FROM $frame_tags ORDER BY frame_id, tag) AS t
    ON t.frame_id = frame.id
  WHERE frame.is_janky
  GROUP BY frame.id
);

-- The tags of each late frame, a row each.
CREATE PERFETTO TABLE chrome_scroll_jank_tags(
  -- Frame, joins chrome_scroll_frame_info.id.
  frame_id LONG,
  -- Reason why the frame was late, as long_viz_to_gpu.
  tag STRING
) AS
SELECT frame_id, tag
FROM _scroll_frame_tags!(chrome_scroll_frame_info);

-- The late frames, with or without tags.
CREATE PERFETTO TABLE chrome_tagged_janky_scroll_frames(
  -- Frame, joins chrome_scroll_frame_info.id.
  frame_id LONG,
  -- Whether any reason was found.
  tagged BOOL,
  -- All tags in alphabetical order, separated by commas.
  tags STRING
) AS
SELECT frame_id, tagged, tags
FROM _tagged_scroll_frames!(chrome_scroll_frame_info, chrome_scroll_jank_tags);

-- The tags of each late frame of chrome_scroll_frame_info_v4, a row each.
CREATE PERFETTO TABLE chrome_scroll_jank_tags_v4(
  -- Frame, joins chrome_scroll_frame_info_v4.id.
  frame_id JOINID(slice.id),
  -- Reason why the frame was late, as long_viz_to_gpu.
  tag STRING
) AS
SELECT frame_id, tag
FROM _scroll_frame_tags!(chrome_scroll_frame_info_v4);

-- The late frames of chrome_scroll_frame_info_v4, with or without tags.
CREATE PERFETTO TABLE chrome_tagged_janky_scroll_frames_v4(
  -- Frame, joins chrome_scroll_frame_info_v4.id.
  frame_id JOINID(slice.id),
  -- Whether any reason was found.
  tagged BOOL,
  -- All tags in alphabetical order, separated by commas.
  tags STRING
) AS
SELECT frame_id, tagged, tags
FROM _tagged_scroll_frames!(chrome_scroll_frame_info_v4, chrome_scroll_jank_tags_v4);
