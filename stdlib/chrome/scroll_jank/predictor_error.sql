-- Frames that moved much more, or much less, than those on either side: the finger was predicted
-- elsewhere.

INCLUDE PERFETTO MODULE chrome.scroll_jank.scroll_offsets;

-- `predictor_jank` is by how much the ratio to the neighbours exceeds `delta_threshold`, which is
-- higher where none of the three frames moved by more than 7 pixels.
CREATE PERFETTO TABLE chrome_predictor_error(
  -- Scroll, joins chrome_scrolls.
  scroll_id LONG,
  -- First update of the frame, joins chrome_inputs.latency_id.
  scroll_update_id LONG,
  -- When the frame was shown.
  present_ts TIMESTAMP,
  -- Vertical distance, pixels.
  delta_y DOUBLE,
  -- Vertical distance since the scroll began, pixels.
  relative_offset_y DOUBLE,
  -- Vertical distance of the frame before, pixels.
  prev_delta DOUBLE,
  -- Vertical distance of the frame after it, pixels.
  next_delta DOUBLE,
  -- By how much the ratio to the neighbours exceeds delta_threshold, else 0.
  predictor_jank DOUBLE,
  -- Ratio from which on a frame counts, 1.2 or 1.4.
  delta_threshold DOUBLE
) AS
WITH
  frames AS (
    SELECT scroll_id, scroll_update_id, ts AS present_ts, delta_y, relative_offset_y,
      lag(coalesce(delta_y, 0.0)) OVER by_scroll AS prev_delta,
      lead(coalesce(delta_y, 0.0)) OVER by_scroll AS next_delta
    FROM chrome_presented_scroll_offsets
    WINDOW by_scroll AS (PARTITION BY scroll_id ORDER BY ts)
  ),
  judged AS (
    SELECT *, iif(max(abs(prev_delta), abs(delta_y), abs(next_delta)) <= 7, 1.4, 1.2)
        AS delta_threshold,
      abs(delta_y) / max(abs(prev_delta), abs(next_delta)) AS more,
      min(abs(prev_delta), abs(next_delta)) / abs(delta_y) AS less
    FROM frames
    WHERE delta_y IS NOT NULL AND prev_delta IS NOT NULL AND next_delta IS NOT NULL
  )
SELECT scroll_id, scroll_update_id, present_ts, delta_y, relative_offset_y, prev_delta, next_delta,
  CASE
    WHEN more >= delta_threshold THEN more - delta_threshold
    WHEN less >= delta_threshold THEN less - delta_threshold
    ELSE 0.0 END AS predictor_jank, delta_threshold
FROM judged;
