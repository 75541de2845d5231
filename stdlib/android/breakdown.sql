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

-- Rows (id, utid, ts, dur) with the states of their threads meanwhile: id, thread_state_id, ts,
-- dur; -1 where it is not known how long the state lasted. Like SPAN_JOIN.
CREATE PERFETTO MACRO _thread_states_within(rows_of_threads TableOrSubquery)
RETURNS TableOrSubquery AS (
  SELECT o.id_0 AS id, o.id_1 AS thread_state_id, o.ts, iif(s.dur < 0, -1, o.dur) AS dur
  FROM _interval_intersect!(
    (
      (SELECT id, ts, dur, utid FROM $rows_of_threads WHERE dur >= 0),
      (SELECT id, ts, max(dur, 0) AS dur, utid FROM thread_state)
    ),
    (utid)) AS o
  JOIN thread_state AS s ON s.id = o.id_1
);
