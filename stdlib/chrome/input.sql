-- Inputs on their way through Chrome. An input's `latency_id` joins its steps.

INCLUDE PERFETTO MODULE chrome.android_input;
INCLUDE PERFETTO MODULE intervals.intersect;
INCLUDE PERFETTO MODULE slices.with_context;

-- Where a step was done again on a thread, its last time counts.
CREATE PERFETTO TABLE _chrome_input_steps(
  latency_id LONG, slice_id JOINID(slice.id), ts TIMESTAMP, dur DURATION, utid JOINID(thread.id),
  step STRING, input_type STRING, task_start_time_ts TIMESTAMP
) AS
WITH
  steps AS (
    SELECT id, ts, dur, utid, arg_set_id,
      extract_arg(arg_set_id, 'chrome_latency_info.step') AS step,
      extract_arg(arg_set_id, 'chrome_latency_info.trace_id') AS latency_id,
      extract_arg(arg_set_id, 'chrome_latency_info.input_type') AS input_type
    FROM thread_slice
  ),
  numbered AS (
    SELECT *, row_number() OVER (
      PARTITION BY latency_id, utid, step, input_type ORDER BY ts DESC) AS times_from_last
    FROM steps
    WHERE step IS NOT NULL AND latency_id <> -1
  )
SELECT latency_id, id AS slice_id, ts, dur, utid, step, input_type,
  ts - extract_arg(arg_set_id, 'current_task.event_offset_from_task_start_time_us') * 1000
    AS task_start_time_ts
FROM numbered
WHERE times_from_last = 1
ORDER BY id;

-- Each input with its type.
CREATE PERFETTO TABLE chrome_inputs(
  -- Id of the input, the same in all of its steps.
  latency_id LONG,
  -- Type of the input, as TOUCH_MOVE_EVENT; NULL if no step tells.
  input_type STRING
) AS
SELECT latency_id, min(input_type) AS input_type
FROM _chrome_input_steps
GROUP BY latency_id;

-- Steps of inputs. Not every step says what input it is for: the type is that of the input's other
-- steps.
CREATE PERFETTO TABLE chrome_input_pipeline_steps(
  -- Input, joins chrome_inputs.
  latency_id LONG,
  -- Slice of the step, joins slice.
  slice_id LONG,
  -- Start, ns of trace time.
  ts TIMESTAMP,
  -- Duration, ns.
  dur DURATION,
  -- Thread, joins thread.utid.
  utid LONG,
  -- Name of the step, as STEP_SEND_INPUT_EVENT_UI.
  step STRING,
  -- Type of the input, as TOUCH_MOVE_EVENT.
  input_type STRING,
  -- Start of the task that the step is part of.
  task_start_time_ts TIMESTAMP
) AS
SELECT latency_id, step.slice_id, step.ts, step.dur, step.utid, step.step, input.input_type,
  step.task_start_time_ts
FROM chrome_inputs AS input
JOIN _chrome_input_steps AS step USING (latency_id)
WHERE input.input_type IS NOT NULL;

-- Inputs that were made part of another one.
CREATE PERFETTO TABLE chrome_coalesced_inputs(
  -- Input that was made part of another one, joins chrome_inputs.latency_id.
  coalesced_latency_id LONG,
  -- Input that it was made part of, joins chrome_inputs.latency_id.
  presented_latency_id LONG
) AS
SELECT args.int_value AS coalesced_latency_id, step.latency_id AS presented_latency_id
FROM chrome_input_pipeline_steps AS step
JOIN slice ON slice.id = step.slice_id
JOIN args ON args.arg_set_id = slice.arg_set_id
WHERE step.step = 'STEP_RESAMPLE_SCROLL_EVENTS'
  AND args.flat_key = 'chrome_latency_info.coalesced_trace_ids'
  AND args.int_value <> step.latency_id;

-- Steps of touch moves within which the thread sent an update of a scroll, first those where the
-- touch had been handled by the page.
CREATE PERFETTO TABLE _scroll_update_within_touch_move(
  touch_move_latency_id LONG, scroll_update_latency_id LONG, is_fallback BOOL
) AS
SELECT touch.latency_id AS touch_move_latency_id, scroll.latency_id AS scroll_update_latency_id,
  touch.step <> 'STEP_TOUCH_EVENT_HANDLED' AS is_fallback
FROM chrome_input_pipeline_steps AS scroll
JOIN chrome_input_pipeline_steps AS touch ON touch.utid = scroll.utid AND touch.ts <= scroll.ts
  AND touch.ts + touch.dur >= scroll.ts + scroll.dur
WHERE scroll.step = 'STEP_SEND_INPUT_EVENT_UI'
  AND scroll.input_type = 'GESTURE_SCROLL_UPDATE_EVENT' AND scroll.dur > 0 AND touch.dur > 0
  AND (touch.step = 'STEP_TOUCH_EVENT_HANDLED'
    OR (touch.step = 'STEP_SEND_INPUT_EVENT_UI' AND touch.input_type = 'TOUCH_MOVE_EVENT'));

-- The touch move that each scroll update was made from.
CREATE PERFETTO TABLE chrome_touch_move_to_scroll_update(
  -- Touch move, joins chrome_inputs.latency_id.
  touch_move_latency_id LONG,
  -- Scroll update, joins chrome_inputs.latency_id.
  scroll_update_latency_id LONG
) AS
SELECT touch_move_latency_id, scroll_update_latency_id
FROM _scroll_update_within_touch_move AS w
WHERE NOT is_fallback OR NOT EXISTS (
  SELECT 1
  FROM _scroll_update_within_touch_move AS handled
  WHERE handled.scroll_update_latency_id = w.scroll_update_latency_id AND NOT handled.is_fallback
)
ORDER BY scroll_update_latency_id;

-- The touch move that each delivery of Android brought.
CREATE PERFETTO TABLE chrome_dispatch_android_input_event_to_touch_move(
  -- Id that Android gave to the input, joins chrome_android_input.
  android_input_id STRING,
  -- Touch move, joins chrome_inputs.latency_id.
  touch_move_latency_id LONG
) AS
SELECT event.android_input_id, step.latency_id AS touch_move_latency_id
FROM chrome_deliver_android_input_event AS event
JOIN chrome_input_pipeline_steps AS step ON step.utid = event.utid AND step.ts >= event.ts
  AND step.ts + step.dur <= event.ts + event.dur
WHERE step.input_type = 'TOUCH_MOVE_EVENT' AND step.step = 'STEP_SEND_INPUT_EVENT_UI';
