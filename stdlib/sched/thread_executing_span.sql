-- Who kept whom waiting: the stretches of threads between one sleep and the next, linked by who
-- woke them, and the critical paths through them.

INCLUDE PERFETTO MODULE intervals.intersect;
INCLUDE PERFETTO MODULE intervals.overlap;

CREATE PERFETTO TABLE _is_fuchsia AS
SELECT EXISTS (
  SELECT 1 FROM metadata WHERE name = 'trace_type' AND str_value = 'fuchsia') AS is_fuchsia;

-- Whether a thread is able to run in the state. On Fuchsia a thread is only waking before it runs,
-- and able to run when it was interrupted.
CREATE PERFETTO MACRO _is_runnable_state(state Expr) RETURNS Expr AS
($state = 'R' OR $state = 'W' AND (SELECT is_fuchsia FROM _is_fuchsia));

-- Thread states with what was before them on the thread. A wakeup by an interrupt, or the end of
-- waiting for a device, has no thread behind it.
CREATE PERFETTO TABLE _wakeup_state AS
SELECT id, ts, dur, utid, state, blocked_function, waker_id, waker_utid,
  iif(coalesce(irq_context, 0) = 0, coalesce(io_wait, 0), 1) AS is_irq,
  lag(ts) OVER thread AS before_ts,
  lag(state) OVER thread AS before_state,
  lag(blocked_function) OVER thread AS before_function,
  lag(id) OVER thread AS before_id,
  lag(dur) OVER thread <> -1 AND lag(ts + dur) OVER thread = ts AS follows,
  _is_runnable_state!(state) AS is_runnable
FROM thread_state
WINDOW thread AS (PARTITION BY utid ORDER BY id);

-- States that ended in which a thread is, as it was woken.
CREATE PERFETTO VIEW _runnable_state AS
SELECT id, ts, dur, state, utid, waker_id, waker_utid, is_irq
FROM _wakeup_state
WHERE dur <> -1 AND waker_id IS NOT NULL;

-- A thread's first state, where it is able to run.
CREATE PERFETTO VIEW _first_runnable_state AS
SELECT id, ts, dur, state, utid, waker_id, waker_utid, is_irq
FROM _wakeup_state
WHERE dur <> -1 AND before_id IS NULL AND is_runnable;

-- States that ended in which a thread sleeps.
CREATE PERFETTO VIEW _sleep_state AS
SELECT id, ts, dur, state, blocked_function, utid
FROM _wakeup_state
WHERE dur <> -1 AND state IN ('S', 'D', 'I');

-- A thread's first sleep from which it was woken.
CREATE PERFETTO VIEW _first_sleep_state AS
SELECT id, ts, dur, state, blocked_function, utid
FROM _sleep_state
WHERE id IN (
  SELECT min(before_id)
  FROM _wakeup_state
  WHERE dur <> -1 AND waker_id IS NOT NULL AND follows AND before_state IN ('S', 'D', 'I')
  GROUP BY utid);

-- When the last state of each thread that has an end ended.
CREATE PERFETTO VIEW _thread_end_ts AS
SELECT max(ts) + dur AS end_ts, utid FROM _wakeup_state WHERE dur <> -1 GROUP BY utid;

-- Where threads were woken, with the sleep before (`prev_end_ts` is its start), or first seen.
CREATE PERFETTO TABLE _wakeup AS
SELECT state, blocked_function, id, ts, utid, waker_id, waker_utid, prev_end_ts, is_irq,
  end_ts AS thread_end_ts
FROM (
  SELECT before_state AS state, before_function AS blocked_function, id, ts, utid, waker_id,
    waker_utid, before_ts AS prev_end_ts, is_irq
  FROM _wakeup_state
  WHERE dur <> -1 AND waker_id IS NOT NULL AND follows AND before_state IN ('S', 'D', 'I')
  UNION ALL
  SELECT NULL, NULL, id, ts, utid, waker_id, waker_utid, NULL, is_irq FROM _first_runnable_state
)
LEFT JOIN _thread_end_ts USING (utid);

-- For each time a thread ran: the start of the stretch that it belongs to.
CREATE PERFETTO TABLE _wakeup_map AS
SELECT id, waker_id
FROM (
  SELECT id AS waker_id, state,
    max(iif(is_runnable AND (waker_id IS NOT NULL OR before_id IS NULL), id, NULL))
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
SELECT woken.utid, woken.id, iif(is_irq, NULL, waker.id) AS waker_id, woken.ts,
  iif(is_irq, 'IRQ', state) AS idle_state, blocked_function AS idle_reason,
  woken.ts - prev_end_ts AS idle_dur, lag(woken.id) OVER thread AS prev_id,
  coalesce(lead(prev_end_ts) OVER thread, thread_end_ts) - woken.ts AS dur
FROM _wakeup AS woken
LEFT JOIN _wakeup_map AS waker USING (waker_id)
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
