-- Steps of Chrome's graphics pipeline: first those of each surface's frame, then those of the frame
-- on the display, which several surfaces make up.

INCLUDE PERFETTO MODULE slices.with_context;

-- `task_start_time_ts` is when the task began that a step is part of.
CREATE PERFETTO TABLE _graphics_pipeline_steps(
  id LONG, ts TIMESTAMP, dur DURATION, step STRING, surface_frame_trace_id LONG,
  display_trace_id LONG, utid JOINID(thread.id), task_start_time_ts TIMESTAMP,
  arg_set_id ARGSETID
) AS
SELECT id, ts, dur, extract_arg(arg_set_id, 'chrome_graphics_pipeline.step') AS step,
  extract_arg(arg_set_id, 'chrome_graphics_pipeline.surface_frame_trace_id')
    AS surface_frame_trace_id,
  extract_arg(arg_set_id, 'chrome_graphics_pipeline.display_trace_id') AS display_trace_id, utid,
  ts - extract_arg(arg_set_id, 'current_task.event_offset_from_task_start_time_us') * 1000
    AS task_start_time_ts, arg_set_id
FROM thread_slice
WHERE name = 'Graphics.Pipeline';

-- Steps of frames of surfaces. WebView writes -1 for "no frame", which is NULL here.
CREATE PERFETTO TABLE chrome_graphics_pipeline_surface_frame_steps(
  -- Slice of the step, joins slice.
  id LONG,
  -- Start, ns of trace time.
  ts TIMESTAMP,
  -- Duration, ns.
  dur DURATION,
  -- Name of the step, as STEP_DRAW_AND_SWAP.
  step STRING,
  -- Frame of the surface, NULL if not known.
  surface_frame_trace_id LONG,
  -- Thread, joins thread.utid.
  utid LONG,
  -- Start of the task that the step is part of.
  task_start_time_ts TIMESTAMP
) AS
SELECT id, ts, dur, step, nullif(surface_frame_trace_id, -1) AS surface_frame_trace_id, utid,
  task_start_time_ts
FROM _graphics_pipeline_steps
WHERE surface_frame_trace_id IS NOT NULL;

-- Steps of frames of the display. Where a step was done again on a thread, its last time counts.
CREATE PERFETTO TABLE chrome_graphics_pipeline_display_frame_steps(
  -- Slice of the step, joins slice.
  id LONG,
  -- Start, ns of trace time.
  ts TIMESTAMP,
  -- Duration, ns.
  dur DURATION,
  -- Name of the step, as STEP_DRAW_AND_SWAP.
  step STRING,
  -- Frame on the display.
  display_trace_id LONG,
  -- Thread, joins thread.utid.
  utid LONG,
  -- Start of the task that the step is part of.
  task_start_time_ts TIMESTAMP
) AS
SELECT id, ts, dur, step, display_trace_id, utid, task_start_time_ts
FROM (
  SELECT *, row_number() OVER (PARTITION BY display_trace_id, step, utid ORDER BY ts DESC)
    AS times_from_last
  FROM _graphics_pipeline_steps
  WHERE display_trace_id IS NOT NULL
)
WHERE times_from_last = 1;

-- The first frame of the display that each surface's frame became part of.
CREATE PERFETTO TABLE chrome_surface_frame_id_to_first_display_id(
  -- Frame of a surface, joins chrome_graphics_pipeline_surface_frame_steps.
  surface_frame_trace_id LONG,
  -- Frame on the display, joins chrome_graphics_pipeline_display_frame_steps.
  display_trace_id LONG
) AS
SELECT surface_frame_trace_id, display_trace_id
FROM (
  SELECT args.int_value AS surface_frame_trace_id, step.display_trace_id, min(step.ts)
  FROM chrome_graphics_pipeline_display_frame_steps AS step
  JOIN slice USING (id)
  JOIN args ON args.arg_set_id = slice.arg_set_id
  WHERE step.step = 'STEP_SURFACE_AGGREGATION'
    AND args.flat_key = 'chrome_graphics_pipeline.aggregated_surface_frame_trace_ids'
  GROUP BY args.int_value
);

-- The surface's frame that each input became part of.
CREATE PERFETTO TABLE chrome_graphics_pipeline_inputs_to_surface_frames(
  -- Input, joins chrome_inputs.
  latency_id LONG,
  -- Frame of a surface, joins chrome_graphics_pipeline_surface_frame_steps; NULL if not known.
  surface_frame_trace_id LONG
) AS
SELECT args.int_value AS latency_id, nullif(surface_frame_trace_id, -1) AS surface_frame_trace_id
FROM _graphics_pipeline_steps AS step
JOIN args ON args.arg_set_id = step.arg_set_id
WHERE step.step = 'STEP_SUBMIT_COMPOSITOR_FRAME' AND step.surface_frame_trace_id IS NOT NULL
  AND args.flat_key = 'chrome_graphics_pipeline.latency_ids';
