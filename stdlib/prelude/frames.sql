-- Slices of frames and of the GPU, with their args as columns.

-- Phases of graphics frames on their way to the display.
CREATE PERFETTO VIEW frame_slice(
  -- Slice, joins slice.
  id ID(slice.id),
  -- Start, ns of trace time.
  ts TIMESTAMP,
  -- Duration, ns; -1 if it has not ended.
  dur DURATION,
  -- Track, joins track.
  track_id JOINID(track.id),
  -- Category of the slice.
  category STRING,
  -- What happened to the buffer, as Queue, or the frame's number.
  name STRING,
  -- Number of slices around it on the track.
  depth LONG,
  -- Slice around it, joins slice; NULL if outermost.
  parent_id JOINID(frame_slice.id),
  -- Arguments, joins args.
  arg_set_id LONG,
  -- Name of the layer that the frame is for.
  layer_name STRING,
  -- Number of the frame.
  frame_number LONG,
  -- From the buffer being queued to being acquired, ns.
  queue_to_acquire_time LONG,
  -- From the buffer being acquired to being latched, ns.
  acquire_to_latch_time LONG,
  -- From the buffer being latched to being shown, ns.
  latch_to_present_time LONG
) AS
SELECT s.id, s.ts, s.dur, s.track_id, s.category, s.name, s.depth, s.parent_id, s.arg_set_id,
  extract_arg(s.arg_set_id, 'layer_name') AS layer_name,
  extract_arg(s.arg_set_id, 'frame_number') AS frame_number,
  extract_arg(s.arg_set_id, 'queue_to_acquire_time') AS queue_to_acquire_time,
  extract_arg(s.arg_set_id, 'acquire_to_latch_time') AS acquire_to_latch_time,
  extract_arg(s.arg_set_id, 'latch_to_present_time') AS latch_to_present_time
FROM __intrinsic_track AS t
JOIN __intrinsic_slice AS s ON s.track_id = t.id
WHERE t.type = 'graphics_frame_event';

-- Work of GPUs: render stages, Vulkan's calls and the GPU's log.
CREATE PERFETTO VIEW gpu_slice(
  -- Slice, joins slice.
  id ID(slice.id),
  -- Start, ns of trace time.
  ts TIMESTAMP,
  -- Duration, ns; -1 if it has not ended.
  dur DURATION,
  -- Track, joins track.
  track_id JOINID(track.id),
  -- Category of the slice.
  category STRING,
  -- Name of the stage, of the call or of the message's severity.
  name STRING,
  -- Number of slices around it on the track.
  depth LONG,
  -- Slice around it, joins slice; NULL if outermost.
  parent_id JOINID(frame_slice.id),
  -- Arguments, joins args.
  arg_set_id LONG,
  -- Context of the GPU, as the driver numbers it.
  context_id LONG,
  -- Handle of the framebuffer.
  render_target LONG,
  -- Name that the app gave to the framebuffer.
  render_target_name STRING,
  -- Handle of the render pass.
  render_pass LONG,
  -- Name that the app gave to the render pass.
  render_pass_name STRING,
  -- Handle of the command buffer.
  command_buffer LONG,
  -- Name that the app gave to the command buffer.
  command_buffer_name STRING,
  -- Frame that the work is for.
  frame_id LONG,
  -- Number of the submission to the queue.
  submission_id LONG,
  -- Hardware queue that did the work.
  hw_queue_id LONG,
  -- Process that asked for the work, joins process.
  upid JOINID(process.id),
  -- Numbers of the render pass's subpasses, separated by commas.
  render_subpasses STRING,
  -- Kind of stage: 0 other, 1 graphics, 2 compute.
  render_stage_category LONG
) AS
SELECT s.id, s.ts, s.dur, s.track_id, s.category, s.name, s.depth, s.parent_id, s.arg_set_id,
  extract_arg(s.arg_set_id, 'context_id') AS context_id,
  extract_arg(s.arg_set_id, 'render_target') AS render_target,
  extract_arg(s.arg_set_id, 'render_target_name') AS render_target_name,
  extract_arg(s.arg_set_id, 'render_pass') AS render_pass,
  extract_arg(s.arg_set_id, 'render_pass_name') AS render_pass_name,
  extract_arg(s.arg_set_id, 'command_buffer') AS command_buffer,
  extract_arg(s.arg_set_id, 'command_buffer_name') AS command_buffer_name,
  extract_arg(s.arg_set_id, 'frame_id') AS frame_id,
  extract_arg(s.arg_set_id, 'submission_id') AS submission_id,
  extract_arg(s.arg_set_id, 'hw_queue_id') AS hw_queue_id,
  extract_arg(s.arg_set_id, 'upid') AS upid,
  extract_arg(s.arg_set_id, 'render_subpasses') AS render_subpasses,
  extract_arg(s.arg_set_id, 'render_stage_category') AS render_stage_category
FROM __intrinsic_track AS t
JOIN __intrinsic_slice AS s ON s.track_id = t.id
WHERE t.type IN ('gpu_render_stage', 'vulkan_events', 'gpu_log');

-- Time that frames were given, from starting on them to being shown.
CREATE PERFETTO VIEW expected_frame_timeline_slice(
  -- Slice, joins slice.
  id ID(slice.id),
  -- Start, ns of trace time.
  ts TIMESTAMP,
  -- Duration, ns; -1 if it has not ended.
  dur DURATION,
  -- Track, joins track.
  track_id JOINID(track.id),
  -- Category of the slice.
  category STRING,
  -- Token of the frame.
  name STRING,
  -- Number of slices around it on the track.
  depth LONG,
  -- Slice around it, joins slice; NULL if outermost.
  parent_id JOINID(frame_slice.id),
  -- Arguments, joins args.
  arg_set_id LONG,
  -- Frame of the display, a token of SurfaceFlinger.
  display_frame_token LONG,
  -- Frame of the app, a token of SurfaceFlinger; 0 or NULL for those of the display.
  surface_frame_token LONG,
  -- Process, joins process.
  upid JOINID(process.id),
  -- Name of the layer that the frame is for.
  layer_name STRING
) AS
SELECT s.id, s.ts, s.dur, s.track_id, s.category, s.name, s.depth, s.parent_id, s.arg_set_id,
  extract_arg(s.arg_set_id, 'Display frame token') AS display_frame_token,
  extract_arg(s.arg_set_id, 'Surface frame token') AS surface_frame_token,
  t.upid,
  extract_arg(s.arg_set_id, 'Layer name') AS layer_name
FROM __intrinsic_track AS t
JOIN __intrinsic_slice AS s ON s.track_id = t.id
WHERE t.type = 'android_expected_frame_timeline';

-- Time that frames took, from starting on them to being shown, and how late they were.
CREATE PERFETTO VIEW actual_frame_timeline_slice(
  -- Slice, joins slice.
  id ID(slice.id),
  -- Start, ns of trace time.
  ts TIMESTAMP,
  -- Duration, ns; -1 if it has not ended.
  dur DURATION,
  -- Track, joins track.
  track_id JOINID(track.id),
  -- Category of the slice.
  category STRING,
  -- Token of the frame.
  name STRING,
  -- Number of slices around it on the track.
  depth LONG,
  -- Slice around it, joins slice; NULL if outermost.
  parent_id JOINID(frame_slice.id),
  -- Arguments, joins args.
  arg_set_id LONG,
  -- Frame of the display, a token of SurfaceFlinger.
  display_frame_token LONG,
  -- Process, joins process.
  upid JOINID(process.id),
  -- Frame of the app, a token of SurfaceFlinger; 0 or NULL for those of the display.
  surface_frame_token LONG,
  -- Name of the layer that the frame is for.
  layer_name STRING,
  -- How the frame was shown, as On-time Present or Dropped Frame.
  present_type STRING,
  -- 1 if it was finished in time.
  on_time_finish LONG,
  -- 1 if the GPU put the display's frame together.
  gpu_composition LONG,
  -- Why it was late or early, None if it was not; several are separated by commas.
  jank_type STRING,
  -- How late it was, as Full or Partial.
  jank_severity_type STRING,
  -- Whether the expected time was known, as Valid Prediction.
  prediction_type STRING,
  -- Whose jank it is, as Self Jank or Other Jank.
  jank_tag STRING,
  -- Whose jank it is by the rules that are tried out.
  jank_tag_experimental STRING,
  -- How late it was as one number.
  jank_score DOUBLE,
  -- Buffers that were latched before their fence was signaled.
  latched_unsignaled_count LONG,
  -- Such latches that count as addressable.
  addressable_unsignaled_latch_count LONG,
  -- State of the buffer's fence when the buffer was latched.
  latched_fence_state STRING
) AS
SELECT s.id, s.ts, s.dur, s.track_id, s.category, s.name, s.depth, s.parent_id, s.arg_set_id,
  extract_arg(s.arg_set_id, 'Display frame token') AS display_frame_token,
  t.upid,
  extract_arg(s.arg_set_id, 'Surface frame token') AS surface_frame_token,
  extract_arg(s.arg_set_id, 'Layer name') AS layer_name,
  extract_arg(s.arg_set_id, 'Present type') AS present_type,
  extract_arg(s.arg_set_id, 'On time finish') AS on_time_finish,
  extract_arg(s.arg_set_id, 'GPU composition') AS gpu_composition,
  extract_arg(s.arg_set_id, 'Jank type') AS jank_type,
  extract_arg(s.arg_set_id, 'Jank severity type') AS jank_severity_type,
  extract_arg(s.arg_set_id, 'Prediction type') AS prediction_type,
  extract_arg(s.arg_set_id, 'Jank tag') AS jank_tag,
  extract_arg(s.arg_set_id, 'Jank tag (experimental)') AS jank_tag_experimental,
  extract_arg(s.arg_set_id, 'Jank Severity Score') AS jank_score,
  extract_arg(s.arg_set_id, 'Latched unsignaled count') AS latched_unsignaled_count,
  extract_arg(s.arg_set_id, 'Addressable unsignaled latch count')
    AS addressable_unsignaled_latch_count,
  extract_arg(s.arg_set_id, 'Latched fence state') AS latched_fence_state
FROM __intrinsic_track AS t
JOIN __intrinsic_slice AS s ON s.track_id = t.id
WHERE t.type = 'android_actual_frame_timeline';
