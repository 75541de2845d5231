-- What threads were doing moment by moment: the innermost slice, and the state they were in.

-- `slices` (root_id, id, parent_id, depth, ts, ts_end) nest within each root, parent_id being the
-- slice around them. For each root, the innermost slice at each time: root_id, slice_id, ts, dur.
CREATE PERFETTO MACRO _innermost_slices(slices TableOrSubquery) RETURNS TableOrSubquery AS (
  -- Where slices begin and end at one time, the last row in this order tells what is innermost.
  SELECT root_id, slice_id, ts, ts_end - ts AS dur
  FROM (
    SELECT root_id, slice_id, ts,
      lead(ts) OVER (PARTITION BY root_id ORDER BY ts, is_start, level) AS ts_end
    FROM (
      SELECT root_id, id AS slice_id, ts, TRUE AS is_start, depth AS level FROM $slices
      UNION ALL
      SELECT root_id, parent_id, ts_end, FALSE, -depth FROM $slices
    )
  )
  WHERE ts_end > ts
);

-- Rows (id, utid, ts, dur) with the states of their threads meanwhile: id, thread_state_id, ts,
-- dur. A thread's last state lasts to the end of the trace; an earlier one without an end is a gap.
CREATE PERFETTO MACRO _thread_states_within(rows_of_threads TableOrSubquery)
RETURNS TableOrSubquery AS (
  SELECT c0 AS id, c1 AS thread_state_id, c2 AS ts, c3 AS dur
  FROM __intrinsic_table_ptr(__intrinsic_interval_intersect(
    (SELECT __intrinsic_interval_tree_intervals_agg(id, ts, dur, 'utid', utid)
     FROM (SELECT id, ts, dur, utid FROM $rows_of_threads WHERE dur > 0 ORDER BY ts)),
    (SELECT __intrinsic_interval_tree_intervals_agg(id, ts, dur, 'utid', utid)
     FROM (
       SELECT id, ts, dur, utid
       FROM thread_state
       WHERE dur > 0
       UNION ALL
       SELECT id, max(ts), trace_end() - max(ts), utid
       FROM thread_state
       GROUP BY utid
       HAVING dur < 0
       ORDER BY ts
     )),
    '(utid)'))
  WHERE __intrinsic_table_ptr_bind(c0, 'id_0') AND __intrinsic_table_ptr_bind(c1, 'id_1')
    AND __intrinsic_table_ptr_bind(c2, 'ts') AND __intrinsic_table_ptr_bind(c3, 'dur')
);
