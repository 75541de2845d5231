-- Critical paths of a thread with what the thread and those that kept it waiting were doing, as
-- stacks.

INCLUDE PERFETTO MODULE intervals.intersect;
INCLUDE PERFETTO MODULE sched.thread_executing_span;
INCLUDE PERFETTO MODULE slices.flat_slices;

-- The critical paths of all threads: whom (`utid`) the time of `root_utid` is owed to.
CREATE PERFETTO VIEW _critical_path_all AS
SELECT row_number() OVER (ORDER BY path.ts) AS id, path.ts, path.dur,
  path.ts + path.dur AS ts_end, stretch.utid, root.utid AS root_utid
FROM _critical_path_by_roots!((SELECT id AS root_node_id FROM _wakeup_graph), _wakeup_graph) AS path
JOIN _wakeup_graph AS root ON root.id = path.root_id
JOIN _wakeup_graph AS stretch ON stretch.id = path.id
ORDER BY path.ts;

CREATE PERFETTO VIEW _span_thread_state_view AS
SELECT id AS thread_state_id, ts, dur, utid, state, blocked_function AS function, io_wait, cpu
FROM thread_state;

CREATE PERFETTO VIEW _span_slice_view AS
SELECT slice_id, depth AS slice_depth, ts, dur, utid FROM _slice_flattened;

CREATE VIRTUAL TABLE _states_and_slices USING SPAN_LEFT_JOIN(
  _span_thread_state_view PARTITIONED utid, _span_slice_view PARTITIONED utid);

-- What every thread did: its state and its innermost slice.
CREATE PERFETTO VIEW _span_thread_state_slice AS
SELECT row_number() OVER (ORDER BY ts) AS id, ts, dur, ts + dur AS ts_end, utid, thread_state_id,
  state, function, cpu, io_wait, slice_id, slice_depth
FROM _states_and_slices
WHERE dur > 0
ORDER BY ts;

-- Which of these parts (`th_id`) each part of a critical path (`cr_id`) meets.
CREATE PERFETTO VIEW _critical_path_thread_state_slice_raw AS
SELECT id_0 AS cr_id, id_1 AS th_id, ts, dur
FROM _interval_intersect!((_critical_path_all, _span_thread_state_slice), (utid));

-- What those did that the time of `root_utid` is owed to.
CREATE PERFETTO VIEW _critical_path_thread_state_slice AS
WITH _path AS MATERIALIZED (SELECT * FROM _critical_path_all),
_part AS MATERIALIZED (SELECT * FROM _span_thread_state_slice)
SELECT met.ts, met.dur, _path.utid, thread_state_id, state, function, cpu, io_wait, slice_id,
  slice_depth, root_utid
FROM _interval_intersect!((_path, _part), (utid)) AS met
JOIN _path ON _path.id = met.id_0
JOIN _part ON _part.id = met.id_1;

CREATE VIRTUAL TABLE _self_states_and_slices USING SPAN_LEFT_JOIN(
  thread_state PARTITIONED utid, _slice_flattened PARTITIONED utid);

-- The same as _span_thread_state_slice, of the thread itself.
CREATE PERFETTO VIEW _self_view AS
SELECT id AS self_thread_state_id, slice_id AS self_slice_id, ts, dur, utid AS root_utid,
  state AS self_state, blocked_function AS self_function, cpu AS self_cpu, io_wait AS self_io_wait,
  depth AS self_slice_depth
FROM _self_states_and_slices;

-- The time of the thread cut where its state or innermost slice changes, or those of the thread that
-- the time is owed to (`utid`).
CREATE PERFETTO FUNCTION _critical_path_spans(
  root_utid JOINID(thread.id), ts TIMESTAMP, dur DURATION
) RETURNS TABLE(
  ts TIMESTAMP, dur DURATION, self_state_id JOINID(thread_state.id),
  self_slice_id JOINID(slice.id), state_id JOINID(thread_state.id), slice_id JOINID(slice.id),
  utid JOINID(thread.id)
) AS
WITH _path AS MATERIALIZED (
  SELECT row_number() OVER () AS id, path.ts, path.dur, stretch.utid
  FROM _critical_path_by_roots!(
    _intervals_to_roots!((SELECT $root_utid AS utid, $ts AS ts, $dur AS dur), _wakeup_graph),
    _wakeup_graph) AS path
  JOIN _wakeup_graph AS stretch ON stretch.id = path.id
  WHERE path.dur > 0 AND path.ts < $ts + $dur AND path.ts + path.dur > $ts
),
_utid AS MATERIALIZED (
  SELECT utid FROM _path UNION SELECT $root_utid
),
_innermost AS MATERIALIZED (
  SELECT row_number() OVER () AS id, *
  FROM (
    SELECT flat.ts, flat.dur, utid, source_id
    FROM experimental_flat_slice($ts, $ts + $dur) AS flat
    JOIN thread_track ON thread_track.id = flat.track_id
    JOIN _utid USING (utid)
    UNION ALL
    SELECT $ts, $dur, utid, NULL
    FROM _utid
    WHERE utid NOT IN (
      SELECT utid
      FROM experimental_flat_slice($ts, $ts + $dur) AS flat
      JOIN thread_track ON thread_track.id = flat.track_id)
  )
),
_state AS MATERIALIZED (
  SELECT id, ts, dur, utid
  FROM thread_state
  JOIN _utid USING (utid)
  WHERE dur > 0 AND ts < $ts + $dur AND ts + dur > $ts
),
_part AS MATERIALIZED (
  SELECT row_number() OVER () AS id, met.ts, met.dur, met.utid, met.id_0 AS state_id,
    _innermost.source_id AS slice_id
  FROM _interval_intersect!((_state, _innermost), (utid)) AS met
  JOIN _innermost ON _innermost.id = met.id_1
  WHERE met.dur > 0
),
_owed AS MATERIALIZED (
  SELECT row_number() OVER () AS id, met.ts, met.dur, met.id_1 AS part_id
  FROM _interval_intersect!((_path, _part), (utid)) AS met
  WHERE met.dur > 0
),
_own AS MATERIALIZED (
  SELECT id, ts, dur FROM _part WHERE utid = $root_utid
)
SELECT met.ts, met.dur, own.state_id, own.slice_id, other.state_id, other.slice_id, other.utid
FROM _interval_intersect!((_own, _owed), ()) AS met
JOIN _part AS own ON own.id = met.id_0
JOIN _owed ON _owed.id = met.id_1
JOIN _part AS other ON other.id = _owed.part_id
WHERE met.dur > 0;

-- A slice and those around it.
CREATE PERFETTO FUNCTION _critical_path_slices(slice_id JOINID(slice.id))
RETURNS TABLE(id JOINID(slice.id), depth LONG, name STRING) AS
SELECT id, depth, name FROM ancestor_slice($slice_id) WHERE dur <> -1
UNION ALL
SELECT id, depth, name FROM slice WHERE id = $slice_id;

-- What each span of the path (`ts`, `dur`) stands for, one row a `stack_depth`: the thread's state,
-- the function it sleeps in, io_wait, process, thread and slices; the same of the thread that the
-- time is owed to, where that is another; the CPU where one of them runs. What is not known or not
-- asked for has no name, and keeps its place.
CREATE PERFETTO FUNCTION _critical_path_stack(
  root_utid JOINID(thread.id), ts TIMESTAMP, dur DURATION, enable_process_name LONG,
  enable_thread_name LONG, enable_self_slice LONG, enable_critical_path_slice LONG
) RETURNS TABLE(
  id LONG, ts TIMESTAMP, dur DURATION, utid JOINID(thread.id), stack_depth LONG, name STRING,
  table_name STRING, root_utid JOINID(thread.id)
) AS
WITH _span AS MATERIALIZED (
  SELECT s.ts, s.dur, self_state_id, self_slice_id, state_id, slice_id, s.utid,
    own.state AS self_state, own.blocked_function AS self_function, own.io_wait AS self_io_wait,
    other.state, other.blocked_function AS function, other.io_wait, other.cpu,
    6 + coalesce((SELECT depth FROM slice WHERE id = self_slice_id), -1) AS other_depth
  FROM _critical_path_spans($root_utid, $ts, $dur) AS s
  JOIN thread_state AS own ON own.id = self_state_id
  JOIN thread_state AS other ON other.id = state_id
),
_name AS MATERIALIZED (
  SELECT utid, thread.name AS thread_name, upid, process.name AS process_name
  FROM thread
  LEFT JOIN process USING (upid)
  WHERE utid = $root_utid OR utid IN (SELECT utid FROM _span)
),
_stack AS MATERIALIZED (
  SELECT self_state_id AS id, ts, dur, $root_utid AS utid, place AS stack_depth,
    CASE place
      WHEN 0 THEN 'thread_state: ' || self_state
      WHEN 1 THEN iif(self_state GLOB 'R*', NULL, 'kernel function: ' || self_function)
      WHEN 2 THEN iif(self_state GLOB 'R*', NULL, 'io_wait: ' || self_io_wait)
      WHEN 3 THEN iif($enable_process_name, 'process_name: ' || process_name, NULL)
      ELSE iif($enable_thread_name, 'thread_name: ' || thread_name, NULL)
    END AS name,
    'thread_state' AS table_name
  FROM _span
  JOIN _name ON _name.utid = $root_utid
  JOIN (SELECT column1 AS place FROM (VALUES (0), (1), (2), (3), (4)))
  WHERE place <> 4 OR upid IS NOT NULL
  UNION ALL
  SELECT s.id, _span.ts, _span.dur, $root_utid, 5 + s.depth, iif($enable_self_slice, s.name, NULL),
    'slice'
  FROM _span
  JOIN _critical_path_slices(self_slice_id) AS s
  UNION ALL
  SELECT state_id, ts, dur, _span.utid, other_depth + place,
    CASE place
      WHEN 0 THEN 'blocking thread_state: ' || state
      WHEN 1 THEN 'blocking process_name: ' || process_name
      WHEN 2 THEN 'blocking thread_name: ' || thread_name
      WHEN 3 THEN 'blocking kernel_function: ' || function
      ELSE 'blocking io_wait: ' || io_wait
    END,
    'thread_state'
  FROM _span
  JOIN _name USING (utid)
  JOIN (SELECT column1 AS place FROM (VALUES (0), (1), (2), (3), (4)))
  WHERE _span.utid <> $root_utid
  UNION ALL
  SELECT s.id, _span.ts, _span.dur, _span.utid, other_depth + 5 + s.depth,
    iif($enable_critical_path_slice, s.name, NULL), 'slice'
  FROM _span
  JOIN _critical_path_slices(slice_id) AS s
  WHERE _span.utid <> $root_utid
),
_top AS (
  SELECT ts, max(stack_depth) + 1 AS depth FROM _stack GROUP BY ts
)
SELECT id, ts, dur, utid, stack_depth, name, table_name, $root_utid AS root_utid FROM _stack
UNION ALL
SELECT state_id, _span.ts, _span.dur, _span.utid, _top.depth, 'cpu: ' || cpu, 'thread_state',
  $root_utid
FROM _span
JOIN _top USING (ts)
WHERE state = 'Running' OR self_state = 'Running';

CREATE PERFETTO FUNCTION _thread_executing_span_critical_path_stack(
  root_utid JOINID(thread.id), ts TIMESTAMP, dur DURATION
) RETURNS TABLE(
  id LONG, ts TIMESTAMP, dur DURATION, utid JOINID(thread.id), stack_depth LONG, name STRING,
  table_name STRING, root_utid JOINID(thread.id)
) AS
SELECT id, ts, dur, utid, stack_depth, name, table_name, root_utid
FROM _critical_path_stack($root_utid, $ts, $dur, 1, 1, 1, 1);

-- The stacks as a profile in pprof's format, each weighed by the time that is not one of a deeper
-- row's.
CREATE PERFETTO FUNCTION _critical_path_graph(
  graph_title STRING, root_utid JOINID(thread.id), ts TIMESTAMP, dur DURATION,
  enable_process_name LONG, enable_thread_name LONG, enable_self_slice LONG,
  enable_critical_path_slice LONG
) RETURNS TABLE(pprof BYTES) AS
WITH RECURSIVE _row AS MATERIALIZED (
  SELECT ts, stack_depth, name,
    dur - coalesce(lead(dur) OVER (PARTITION BY ts ORDER BY stack_depth), 0) AS own_dur
  FROM _critical_path_stack($root_utid, $ts, $dur, $enable_process_name, $enable_thread_name,
    $enable_self_slice, $enable_critical_path_slice)
),
_stack(ts, depth, own_dur, stack) AS (
  SELECT ts, 0, own_dur, cat_stacks($graph_title, name) FROM _row WHERE stack_depth = 0
  UNION ALL
  SELECT _row.ts, stack_depth, _row.own_dur, cat_stacks(stack, name)
  FROM _stack
  JOIN _row ON _row.ts = _stack.ts AND stack_depth = depth + 1
)
SELECT experimental_profile(stack, 'duration', 'ns', own_dur) AS pprof FROM _stack;

CREATE PERFETTO FUNCTION _thread_executing_span_critical_path_graph(
  graph_title STRING, root_utid JOINID(thread.id), ts TIMESTAMP, dur DURATION
) RETURNS TABLE(pprof BYTES) AS
SELECT pprof FROM _critical_path_graph($graph_title, $root_utid, $ts, $dur, 1, 1, 1, 1);
