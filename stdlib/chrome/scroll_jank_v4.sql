-- Results of the fourth version of Chrome's scroll jank metric, one for each frame with updates of
-- scrolls. Updates are real, from inputs, or synthetic; frames are damaging where they change the
-- screen.

-- The first part of each name that belongs to a result's slice. Newer recordings join the parts by
-- `result_id`, in older ones they are within the slice.
CREATE PERFETTO TABLE _scroll_jank_v4_parts(id LONG, name STRING, ts TIMESTAMP, ts_end TIMESTAMP) AS
WITH parts AS (
  SELECT result.id, part.name, part.ts, part.dur
  FROM slice AS result
  JOIN args AS number ON number.arg_set_id = result.arg_set_id
    AND number.key = 'scroll_jank_v4.result_id'
  JOIN args AS same ON same.key = 'scroll_jank_v4.result_id' AND same.int_value = number.int_value
  JOIN slice AS part ON part.arg_set_id = same.arg_set_id AND part.name <> 'ScrollJankV4'
  WHERE result.name = 'ScrollJankV4'
  UNION ALL
  SELECT result.id, part.name, part.ts, part.dur
  FROM slice AS result
  JOIN descendant_slice(result.id) AS part
  WHERE result.name = 'ScrollJankV4'
    AND extract_arg(result.arg_set_id, 'scroll_jank_v4.result_id') IS NULL
)
SELECT id, name, min(ts) AS ts, ts + dur AS ts_end
FROM parts
GROUP BY id, name;

CREATE PERFETTO MACRO _scroll_jank_v4_part(name Expr, value Expr) RETURNS Expr AS (
  SELECT $value FROM _scroll_jank_v4_parts AS part WHERE part.id = s.id AND part.name = $name
);

CREATE PERFETTO MACRO _scroll_jank_v4_arg(key Expr) RETURNS Expr AS
extract_arg(s.arg_set_id, 'scroll_jank_v4.' || $key);

-- The results by time.
CREATE PERFETTO TABLE chrome_scroll_jank_v4_results(
  -- Slice, joins slice.
  id ID(slice.id),
  -- Name of the slice, ScrollJankV4.
  name STRING,
  -- Start, ns of trace time.
  ts TIMESTAMP,
  -- Duration, ns.
  dur DURATION,
  -- Number that joins the parts of a result, NULL in older recordings.
  result_id LONG,
  -- Whether the frame was late.
  is_janky BOOL,
  -- VSyncs between the previous frame and this one being shown.
  vsyncs_since_previous_frame LONG,
  -- How late before being shown inputs could come, judging by the frames so far, ns.
  running_delivery_cutoff DURATION,
  -- The running delivery cutoff as adjusted to this frame, ns.
  adjusted_delivery_cutoff DURATION,
  -- Delivery cutoff of this frame, NULL unless it is damaging, ns.
  current_delivery_cutoff DURATION,
  -- First real update, joins chrome_event_latencies.scroll_update_id.
  real_first_event_latency_id LONG,
  -- When the first real update's input was generated.
  real_first_input_generation_ts TIMESTAMP,
  -- When the last real update's input was generated.
  real_last_input_generation_ts TIMESTAMP,
  -- Distance of all real updates, without its sign, pixels.
  real_abs_total_raw_delta_pixels DOUBLE,
  -- Distance of all real updates, pixels.
  real_total_raw_delta_pixels DOUBLE,
  -- Largest distance of a real update by a fling, pixels; NULL without one.
  real_max_abs_inertial_raw_delta_pixels DOUBLE,
  -- First synthetic update, joins chrome_event_latencies.scroll_update_id.
  synthetic_first_event_latency_id LONG,
  -- When the input of the first synthetic update would have been generated.
  synthetic_first_extrapolated_input_generation_ts TIMESTAMP,
  -- When the frame began that the first synthetic update was made for.
  synthetic_first_original_begin_frame_ts TIMESTAMP,
  -- Kind of the frame's first update, REAL or one of SYNTHETIC_*.
  first_scroll_update_type STRING,
  -- First update of either kind, joins chrome_event_latencies.scroll_update_id.
  first_event_latency_id LONG,
  -- DAMAGING, or one of NON_DAMAGING_*.
  damage_type STRING,
  -- Time between VSyncs, ns.
  vsync_interval DURATION,
  -- When the frame began.
  begin_frame_ts TIMESTAMP,
  -- When the frame was shown; of one that is not damaging, when it would have been, NULL if not
  -- known.
  presentation_ts TIMESTAMP
) AS
SELECT s.id, s.name, s.ts, s.dur, _scroll_jank_v4_arg!('result_id') AS result_id,
  _scroll_jank_v4_arg!('is_janky') AS is_janky,
  _scroll_jank_v4_arg!('vsyncs_since_previous_frame') AS vsyncs_since_previous_frame,
  _scroll_jank_v4_arg!('running_delivery_cutoff_us') AS running_delivery_cutoff,
  _scroll_jank_v4_arg!('adjusted_delivery_cutoff_us') AS adjusted_delivery_cutoff,
  _scroll_jank_v4_arg!('current_delivery_cutoff_us') AS current_delivery_cutoff,
  _scroll_jank_v4_arg!('updates.real.first_event_latency_id') AS real_first_event_latency_id,
  _scroll_jank_v4_part!('Real scroll update input generation', part.ts)
    AS real_first_input_generation_ts,
  _scroll_jank_v4_part!('Real scroll update input generation', part.ts_end)
    AS real_last_input_generation_ts,
  _scroll_jank_v4_arg!('updates.real.abs_total_raw_delta_pixels')
    AS real_abs_total_raw_delta_pixels,
  _scroll_jank_v4_arg!('updates.real.total_raw_delta_pixels') AS real_total_raw_delta_pixels,
  _scroll_jank_v4_arg!('updates.real.max_abs_inertial_raw_delta_pixels')
    AS real_max_abs_inertial_raw_delta_pixels,
  _scroll_jank_v4_arg!('updates.synthetic.first_event_latency_id')
    AS synthetic_first_event_latency_id,
  _scroll_jank_v4_part!('Extrapolated first synthetic scroll update input generation', part.ts)
    AS synthetic_first_extrapolated_input_generation_ts,
  _scroll_jank_v4_part!('First synthetic scroll update original begin frame', part.ts)
    AS synthetic_first_original_begin_frame_ts,
  _scroll_jank_v4_arg!('updates.first_scroll_update_type') AS first_scroll_update_type,
  iif(_scroll_jank_v4_arg!('updates.first_scroll_update_type') GLOB 'SYNTHETIC*',
    _scroll_jank_v4_arg!('updates.synthetic.first_event_latency_id'),
    coalesce(_scroll_jank_v4_arg!('updates.real.first_event_latency_id'),
    _scroll_jank_v4_arg!('updates.synthetic.first_event_latency_id'))) AS first_event_latency_id,
  _scroll_jank_v4_arg!('damage_type') AS damage_type,
  _scroll_jank_v4_arg!('vsync_interval_us') AS vsync_interval,
  _scroll_jank_v4_part!('Begin frame', part.ts) AS begin_frame_ts,
  coalesce(_scroll_jank_v4_part!('Presentation', part.ts),
    _scroll_jank_v4_part!('Extrapolated presentation', part.ts)) AS presentation_ts
FROM slice AS s
WHERE s.name = 'ScrollJankV4'
ORDER BY s.ts;

-- Why a frame is janky: it can be for several reasons.
CREATE PERFETTO TABLE chrome_scroll_jank_v4_reasons(
  -- Result, joins chrome_scroll_jank_v4_results.
  id JOINID(slice.id),
  -- Reason, as MISSED_VSYNC_DURING_FAST_SCROLL.
  jank_reason STRING,
  -- VSyncs that were missed for that reason.
  missed_vsyncs LONG
) AS
SELECT s.id, args.display_value AS jank_reason,
  extract_arg(s.arg_set_id, replace(args.key, '.jank_reason', '.missed_vsyncs')) AS missed_vsyncs
FROM slice AS s
JOIN args ON args.arg_set_id = s.arg_set_id
WHERE s.name = 'ScrollJankV4'
  AND args.flat_key = 'scroll_jank_v4.missed_vsyncs_per_jank_reason.jank_reason';
