-- What threads were doing moment by moment: the innermost slice, and the state they were in.

INCLUDE PERFETTO MODULE intervals.intersect;

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

-- A thread's last state lasts to the end of the trace; an earlier one without an end is a gap.
CREATE PERFETTO VIEW _ended_thread_states AS
SELECT id, ts, dur, utid
FROM thread_state
WHERE dur > 0
UNION ALL
SELECT id, max(ts), trace_end() - max(ts), utid
FROM thread_state
GROUP BY utid
HAVING dur < 0;

-- Rows (id, utid, ts, dur) with the states of their threads meanwhile: id, thread_state_id, ts,
-- dur.
CREATE PERFETTO MACRO _thread_states_within(rows_of_threads TableOrSubquery)
RETURNS TableOrSubquery AS (
  SELECT id_0 AS id, id_1 AS thread_state_id, ts, dur
  FROM _interval_intersect!(
    ((SELECT id, ts, dur, utid FROM $rows_of_threads WHERE dur > 0), _ended_thread_states), (utid))
);
