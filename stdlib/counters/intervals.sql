-- Counter values as intervals.

-- From each change of a counter to the next one; the last value lasts to the end of the trace. Where
-- samples repeat a value, the first repetition and the last one before a change also begin an
-- interval, so that `dur` and `delta_value` around a change are those of the samples.
CREATE PERFETTO MACRO counter_leading_intervals(
  -- Samples: id, ts, track_id, value.
  counter_table TableOrSubquery
) RETURNS TableOrSubquery AS (
  SELECT c0 AS id, c1 AS ts, c2 AS dur, c3 AS track_id, c4 AS value, c5 AS next_value,
    c6 AS delta_value
  FROM __intrinsic_table_ptr(__intrinsic_counter_intervals('leading', trace_end(), (
    SELECT __intrinsic_counter_per_track_agg(input.id, input.ts, input.track_id, input.value)
    FROM $counter_table AS input
  )))
  WHERE __intrinsic_table_ptr_bind(c0, 'id') AND __intrinsic_table_ptr_bind(c1, 'ts')
    AND __intrinsic_table_ptr_bind(c2, 'dur') AND __intrinsic_table_ptr_bind(c3, 'track_id')
    AND __intrinsic_table_ptr_bind(c4, 'value') AND __intrinsic_table_ptr_bind(c5, 'next_value')
    AND __intrinsic_table_ptr_bind(c6, 'delta_value')
);
