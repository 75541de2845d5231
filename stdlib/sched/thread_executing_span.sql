-- Who kept whom waiting: the stretches of threads between one sleep and the next, linked by who
-- woke them, and the critical paths through them.

INCLUDE PERFETTO MODULE intervals.intersect;
INCLUDE PERFETTO MODULE intervals.overlap;

-- Thread states that ended, with what was before them on the thread. A wakeup by an interrupt, or
-- the end of waiting for a device, has no thread behind it. On Fuchsia a thread is only waking
-- before it runs, and able to run when it was interrupted.
CREATE PERFETTO TABLE _wakeup_state AS
SELECT id, ts, dur, utid, state, waker_id,
  iif(coalesce(irq_context, 0) = 0, coalesce(io_wait, 0), 1) AS is_irq,
  lag(ts) OVER thread AS before_ts,
  lag(state) OVER thread AS before_state,
  lag(blocked_function) OVER thread AS before_function,
  lag(dur) OVER thread <> -1 AND lag(ts + dur) OVER thread = ts AS follows,
  lag(id) OVER thread IS NULL AS is_first,
  state = 'R' OR state = 'W' AND EXISTS (
    SELECT 1 FROM metadata WHERE name = 'trace_type' AND str_value = 'fuchsia') AS is_runnable
FROM thread_state
WINDOW thread AS (PARTITION BY utid ORDER BY id);

-- For each time a thread ran: the start of the stretch that it belongs to.
CREATE PERFETTO TABLE _wakeup_map AS
SELECT id, waker_id
FROM (
  SELECT id AS waker_id, state, max(iif(is_runnable AND (waker_id IS NOT NULL OR is_first), id, NULL))
    OVER (PARTITION BY utid ORDER BY id) AS id
  FROM _wakeup_state
  WHERE dur <> -1
)
WHERE state = 'Running'
ORDER BY waker_id;

-- The stretches: each begins with the state in which the thread was woken (or first seen) and lasts
-- until it sleeps again. `waker_id` is the stretch of the thread that woke it, `prev_id` the one
-- before on the same thread, `idle_dur` how long it slept before.
CREATE PERFETTO TABLE _wakeup_graph AS
WITH woken AS (
  SELECT id, ts, utid, is_irq, NULL AS idle_ts, NULL AS idle_state, NULL AS idle_reason, waker_id
  FROM _wakeup_state
  WHERE is_first AND is_runnable AND dur <> -1
  UNION ALL
  SELECT id, ts, utid, is_irq, before_ts, before_state, before_function, waker_id
  FROM _wakeup_state
  WHERE dur <> -1 AND waker_id IS NOT NULL AND follows AND before_state IN ('S', 'D', 'I')
),
thread_end AS (
  SELECT utid, max(ts) + dur AS ts FROM thread_state WHERE dur <> -1 GROUP BY utid
)
SELECT woken.utid, woken.id, iif(is_irq, NULL, waker.id) AS waker_id, woken.ts,
  iif(is_irq, 'IRQ', idle_state) AS idle_state, idle_reason, woken.ts - idle_ts AS idle_dur,
  lag(woken.id) OVER thread AS prev_id,
  coalesce(lead(idle_ts) OVER thread, thread_end.ts) - woken.ts AS dur
FROM woken
LEFT JOIN _wakeup_map AS waker USING (waker_id)
LEFT JOIN thread_end USING (utid)
WINDOW thread AS (PARTITION BY woken.utid ORDER BY woken.ts)
ORDER BY woken.id;

-- The stretches (`root_node_id`) of `_node_table` that cover the times (utid, ts, dur) of
-- `_source_table`.
CREATE PERFETTO MACRO _intervals_to_roots(
  _source_table TableOrSubquery, _node_table TableOrSubquery
) RETURNS TableOrSubquery AS (
  WITH _stretches AS (
    SELECT id, utid, ts, prev_id, min(ts) OVER thread AS first_ts, max(ts) OVER thread AS last_ts
    FROM $_node_table
    WINDOW thread AS (PARTITION BY utid)
  ),
  _ends AS (
    SELECT wanted.utid,
      max(_stretches.id) FILTER (WHERE _stretches.ts <= max(wanted.ts, first_ts)) AS first_id,
      min(_stretches.id) FILTER (WHERE _stretches.ts >= min(wanted.ts + wanted.dur, last_ts))
        AS last_id
    FROM $_source_table AS wanted
    JOIN _stretches USING (utid)
    GROUP BY wanted.utid, wanted.ts, wanted.dur
  )
  SELECT DISTINCT id AS root_node_id, id - coalesce(prev_id, id) AS capacity
  FROM _ends
  JOIN _stretches ON _stretches.utid = _ends.utid AND id BETWEEN first_id AND last_id
);

-- Of each root (root_node_id) and the sleep before it: which stretch (`id`) the time is owed to.
-- `depth` counts the wakers in between.
CREATE PERFETTO MACRO _critical_path_with_depth_by_roots(
  _roots_table TableOrSubquery, _node_table TableOrSubquery
) RETURNS TableOrSubquery AS (
  SELECT c0 AS root_id, c1 AS depth, c2 AS ts, c3 AS dur, c4 AS id, c5 AS parent_id
  FROM __intrinsic_table_ptr(__intrinsic_critical_path_walk(
    (SELECT __intrinsic_wakeup_graph_agg(id, utid, ts, dur, idle_dur, waker_id, prev_id)
    FROM $_node_table),
    (SELECT __intrinsic_array_agg(root_node_id) FROM $_roots_table)))
  WHERE __intrinsic_table_ptr_bind(c0, 'root_id')
    AND __intrinsic_table_ptr_bind(c1, 'depth')
    AND __intrinsic_table_ptr_bind(c2, 'ts')
    AND __intrinsic_table_ptr_bind(c3, 'dur')
    AND __intrinsic_table_ptr_bind(c4, 'blocker_id')
    AND __intrinsic_table_ptr_bind(c5, 'parent_id')
);

-- The same without the depth. Time that nobody accounts for is the root's own.
CREATE PERFETTO MACRO _critical_path_by_roots(
  _roots_table TableOrSubquery, _node_table TableOrSubquery
) RETURNS TableOrSubquery AS (
  WITH _owed AS MATERIALIZED (
    SELECT root_id, id, ts, dur, lead(ts) OVER (PARTITION BY root_id ORDER BY ts) AS next_ts
    FROM _critical_path_with_depth_by_roots!($_roots_table, $_node_table)
  )
  SELECT root_id, id, ts, dur FROM _owed
  UNION ALL
  SELECT root_id, root_id, ts + dur, next_ts - ts - dur FROM _owed WHERE next_ts > ts + dur
);

-- What the critical paths of the threads in `_intervals_table` (utid, ts, dur) are during these
-- times.
CREATE PERFETTO MACRO _critical_path_by_intervals(
  _intervals_table TableOrSubquery, _node_table TableOrSubquery
) RETURNS TableOrSubquery AS (
  WITH _wanted AS (
    SELECT row_number() OVER (ORDER BY ts) AS id, ts, dur, utid AS root_utid FROM $_intervals_table
  ),
  _path AS MATERIALIZED (
    SELECT row_number() OVER (ORDER BY path.ts) AS id, path.root_id, path.id AS stretch_id, path.ts,
      path.dur, root.utid AS root_utid, stretch.utid
    FROM _critical_path_by_roots!(
      _intervals_to_roots!($_intervals_table, $_node_table), $_node_table) AS path
    JOIN $_node_table AS root ON root.id = path.root_id
    JOIN $_node_table AS stretch ON stretch.id = path.id
  )
  SELECT DISTINCT _path.root_utid, _path.utid, _path.root_id, _path.stretch_id AS id, met.ts,
    met.dur, _wanted.ts AS interval_ts, _wanted.dur AS interval_dur
  FROM _interval_intersect!((_path, _wanted), (root_utid)) AS met
  JOIN _path ON _path.id = met.id_0
  JOIN _wanted ON _wanted.id = met.id_1
);

CREATE PERFETTO FUNCTION _thread_executing_span_critical_path(
  root_utid JOINID(thread.id), ts TIMESTAMP, dur DURATION
) RETURNS TABLE(
  root_utid JOINID(thread.id), root_id LONG, id LONG, ts TIMESTAMP, dur DURATION,
  utid JOINID(thread.id)
) AS
SELECT root_utid, root_id, id, ts, dur, utid
FROM _critical_path_by_intervals!(
  (SELECT $root_utid AS utid, $ts AS ts, $dur AS dur), _wakeup_graph);
