-- Counter values as intervals.

-- From each change of a counter to the next one; the last value lasts to the end of the trace.
-- Samples that repeat the value before them are left out.
CREATE PERFETTO MACRO counter_leading_intervals(
  -- Samples: id, ts, track_id, value.
  counter_table TableOrSubquery
) RETURNS TableOrSubquery AS (
  SELECT id, ts, coalesce(lead(ts) OVER by_track, trace_end()) - ts AS dur, track_id, value,
    lead(value) OVER by_track AS next_value, value - lag(value) OVER by_track AS delta_value
  FROM (
    SELECT id, ts, track_id, value,
      lag(value) OVER (PARTITION BY track_id ORDER BY ts) AS previous
    FROM $counter_table
  )
  WHERE previous IS NULL OR previous <> value
  WINDOW by_track AS (PARTITION BY track_id ORDER BY ts)
);
