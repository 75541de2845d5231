-- Java threads that wait for a lock which another thread holds.
--
-- The slice's name tells both sides:
--   monitor contention with owner OWNER (TID) at METHOD(SOURCE) waiters=N
--     blocking from METHOD(SOURCE)

INCLUDE PERFETTO MODULE android.breakdown;
INCLUDE PERFETTO MODULE android.suspend;
INCLUDE PERFETTO MODULE slices.with_context;

-- What stands behind one text, up to another; NULL where there is none.
CREATE PERFETTO MACRO _text_between(text Expr, before Expr, behind Expr) RETURNS Expr AS
str_split(str_split($text, $before, 1), $behind, 0);

-- TYPE NAME(PARAMETERS behind a text, the closing parenthesis included; and its NAME.
CREATE PERFETTO MACRO _method_behind(text Expr, before Expr) RETURNS Expr AS
(_text_between!($text, $before, '(') || '(' || str_split(str_split($text, $before, 1), '(', 1));

CREATE PERFETTO MACRO _method_name(method Expr) RETURNS Expr AS
_text_between!($method, ' ', '(');

CREATE PERFETTO FUNCTION android_extract_android_monitor_contention_blocking_thread(
  slice_name STRING
) RETURNS STRING AS
SELECT _text_between!($slice_name, 'with owner ', ' (');

CREATE PERFETTO FUNCTION android_extract_android_monitor_contention_blocking_tid(
  slice_name STRING
) RETURNS LONG AS
SELECT CAST(_text_between!($slice_name, ' (', ')') AS INTEGER);

CREATE PERFETTO FUNCTION android_extract_android_monitor_contention_blocking_method(
  slice_name STRING
) RETURNS STRING AS
SELECT _method_behind!($slice_name, ') at ');

CREATE PERFETTO FUNCTION android_extract_android_monitor_contention_blocked_method(
  slice_name STRING
) RETURNS STRING AS
SELECT _method_behind!($slice_name, 'blocking from ');

CREATE PERFETTO FUNCTION android_extract_android_monitor_contention_short_blocking_method(
  slice_name STRING
) RETURNS STRING AS
SELECT _method_name!(_method_behind!($slice_name, ') at '));

CREATE PERFETTO FUNCTION android_extract_android_monitor_contention_short_blocked_method(
  slice_name STRING
) RETURNS STRING AS
SELECT _method_name!(_method_behind!($slice_name, 'blocking from '));

CREATE PERFETTO FUNCTION android_extract_android_monitor_contention_waiter_count(
  slice_name STRING
) RETURNS LONG AS
SELECT CAST(_text_between!($slice_name, 'waiters=', ' ') AS INTEGER);

CREATE PERFETTO FUNCTION android_extract_android_monitor_contention_blocking_src(
  slice_name STRING
) RETURNS STRING AS
SELECT _text_between!($slice_name, ')(', ')');

CREATE PERFETTO FUNCTION android_extract_android_monitor_contention_blocked_src(
  slice_name STRING
) RETURNS STRING AS
SELECT str_split(str_split($slice_name, ')(', 2), ')', 0);

-- The reply to a binder transaction that a thread was busy with when it had to wait.
CREATE PERFETTO TABLE _monitor_contention_binder AS
SELECT s.id, a.id AS binder_reply_id, a.ts AS binder_reply_ts
FROM (SELECT id FROM slice WHERE name GLOB 'monitor contention*') AS s
JOIN ancestor_slice(s.id) AS a
WHERE a.name = 'binder reply'
GROUP BY s.id
HAVING max(a.depth) IS NOT NULL;

-- Contentions below which there is nothing but the runtime's own wait for the lock, and whose name
-- tells both methods.
CREATE PERFETTO TABLE _monitor_contentions AS
SELECT s.id, s.upid,
  android_extract_android_monitor_contention_blocking_tid(s.name) AS blocking_tid
FROM thread_slice AS s
WHERE s.name GLOB 'monitor contention*' AND s.dur <> -1
  AND android_extract_android_monitor_contention_short_blocking_method(s.name) IS NOT NULL
  AND android_extract_android_monitor_contention_short_blocked_method(s.name) IS NOT NULL
  AND (NOT EXISTS (SELECT 1 FROM slice AS child WHERE child.parent_id = s.id)
    OR EXISTS (
      SELECT 1
      FROM slice AS child
      WHERE child.parent_id = s.id AND (child.name GLOB 'Lock contention*' OR child.name IS NULL)
        AND NOT EXISTS (SELECT 1 FROM slice AS below WHERE below.parent_id = child.id)
    ));

-- The thread that holds the lock. Before Android 13 names have the runtime's number of a thread,
-- which is no thread's tid.
CREATE PERFETTO TABLE _monitor_contention_owners AS
SELECT c.id, c.blocking_tid, t.utid
FROM _monitor_contentions AS c
LEFT JOIN thread AS t ON t.upid = c.upid AND t.tid = c.blocking_tid
GROUP BY c.id;

-- Some locks say NAME_lock_acquire before a thread waits, and NAME_lock_held behind it.
CREATE PERFETTO TABLE _monitor_contention_locks AS
SELECT id, substr(before, 1, length(before) - 13) AS lock_name
FROM (
  SELECT id, lag(name) OVER on_track AS before,
    iif(lead(name) OVER on_track GLOB 'Lock contention*', lead(name, 2) OVER on_track,
      lead(name) OVER on_track) AS behind
  FROM slice
  WHERE track_id IN (
    SELECT s.track_id FROM _monitor_contentions AS c JOIN slice AS s ON s.id = c.id
  )
  WINDOW on_track AS (PARTITION BY track_id ORDER BY ts)
)
WHERE before GLOB '*_lock_acquire'
  AND behind = substr(before, 1, length(before) - 13) || '_lock_held'
  AND id IN (SELECT id FROM _monitor_contentions);

CREATE PERFETTO TABLE android_monitor_contention(
  blocking_method STRING, blocked_method STRING, short_blocking_method STRING,
  short_blocked_method STRING, blocking_src STRING, blocked_src STRING, waiter_count LONG,
  blocked_utid JOINID(thread.id), blocked_thread_name STRING, blocking_utid JOINID(thread.id),
  blocking_thread_name STRING, blocking_tid LONG, upid JOINID(process.id), process_name STRING,
  id LONG, ts TIMESTAMP, dur DURATION, monotonic_dur DURATION, track_id JOINID(track.id),
  is_blocked_thread_main LONG, blocked_thread_tid LONG, is_blocking_thread_main LONG,
  blocking_thread_tid LONG, binder_reply_id LONG, binder_reply_ts TIMESTAMP,
  binder_reply_tid LONG, pid LONG, lock_name STRING
) AS
SELECT
  android_extract_android_monitor_contention_blocking_method(s.name) AS blocking_method,
  android_extract_android_monitor_contention_blocked_method(s.name) AS blocked_method,
  android_extract_android_monitor_contention_short_blocking_method(s.name)
    AS short_blocking_method,
  android_extract_android_monitor_contention_short_blocked_method(s.name) AS short_blocked_method,
  android_extract_android_monitor_contention_blocking_src(s.name) AS blocking_src,
  android_extract_android_monitor_contention_blocked_src(s.name) AS blocked_src,
  android_extract_android_monitor_contention_waiter_count(s.name) AS waiter_count,
  s.utid AS blocked_utid,
  s.thread_name AS blocked_thread_name,
  owner.utid AS blocking_utid,
  android_extract_android_monitor_contention_blocking_thread(s.name) AS blocking_thread_name,
  o.blocking_tid,
  s.upid,
  s.process_name,
  s.id,
  s.ts,
  s.dur,
  _extract_duration_without_suspend(s.ts, s.dur) AS monotonic_dur,
  s.track_id,
  s.is_main_thread AS is_blocked_thread_main,
  s.tid AS blocked_thread_tid,
  owner.is_main_thread AS is_blocking_thread_main,
  owner.tid AS blocking_thread_tid,
  b.binder_reply_id,
  b.binder_reply_ts,
  iif(b.binder_reply_id IS NULL, NULL, s.tid) AS binder_reply_tid,
  s.pid,
  l.lock_name
FROM _monitor_contention_owners AS o
JOIN thread_slice AS s ON s.id = o.id
LEFT JOIN _monitor_contention_locks AS l ON l.id = s.id
LEFT JOIN thread AS owner ON owner.utid = o.utid
LEFT JOIN _monitor_contention_binder AS b ON b.id = s.id
ORDER BY s.id;

-- Chains: a contention's parent is what the holder of its lock was itself waiting for when it
-- began, its child one that waits in the same way for the blocked thread.
CREATE PERFETTO TABLE android_monitor_contention_chain(
  parent_id LONG, blocking_method STRING, blocked_method STRING, short_blocking_method STRING,
  short_blocked_method STRING, blocking_src STRING, blocked_src STRING, waiter_count LONG,
  blocked_utid JOINID(thread.id), blocked_thread_name STRING, blocking_utid JOINID(thread.id),
  blocking_thread_name STRING, blocking_tid LONG, upid JOINID(process.id), process_name STRING,
  id LONG, ts TIMESTAMP, dur DURATION, monotonic_dur DURATION, track_id JOINID(track.id),
  is_blocked_thread_main LONG, blocked_thread_tid LONG, is_blocking_thread_main LONG,
  blocking_thread_tid LONG, binder_reply_id LONG, binder_reply_ts TIMESTAMP,
  binder_reply_tid LONG, pid LONG, child_id LONG, lock_name STRING
) AS
SELECT parent.id AS parent_id, c.blocking_method, c.blocked_method, c.short_blocking_method,
  c.short_blocked_method, c.blocking_src, c.blocked_src, c.waiter_count, c.blocked_utid,
  c.blocked_thread_name, c.blocking_utid, c.blocking_thread_name, c.blocking_tid, c.upid,
  c.process_name, c.id, c.ts, c.dur, c.monotonic_dur, c.track_id, c.is_blocked_thread_main,
  c.blocked_thread_tid, c.is_blocking_thread_main, c.blocking_thread_tid, c.binder_reply_id,
  c.binder_reply_ts, c.binder_reply_tid, c.pid, child.id AS child_id, c.lock_name
FROM android_monitor_contention AS c
LEFT JOIN android_monitor_contention AS parent
  ON parent.blocked_utid = c.blocking_utid AND c.ts BETWEEN parent.ts AND parent.ts + parent.dur
LEFT JOIN android_monitor_contention AS child
  ON child.blocking_utid = c.blocked_utid AND child.ts BETWEEN c.ts AND c.ts + c.dur;

-- The first wait for a lock, until one of those who wait for the same method gets it: only so long
-- does the thread both hold the lock and keep others from it.
CREATE PERFETTO TABLE _first_waits AS
SELECT first.id, first.ts, min(other.ts + other.dur) - first.ts AS dur, first.blocking_utid AS utid
FROM android_monitor_contention AS first
JOIN android_monitor_contention AS other
  ON other.blocking_utid = first.blocking_utid AND other.blocking_method = first.blocking_method
    AND other.ts BETWEEN first.ts AND first.ts + first.dur
WHERE first.waiter_count = 0
GROUP BY first.id;

CREATE PERFETTO TABLE android_monitor_contention_chain_thread_state(
  id LONG, ts TIMESTAMP, dur DURATION, blocking_utid JOINID(thread.id), blocked_function STRING,
  state STRING
) AS
SELECT o.id AS id, o.ts, o.dur, t.utid AS blocking_utid, t.blocked_function, t.state
FROM _thread_states_within!(_first_waits) AS o
JOIN thread_state AS t ON t.id = o.thread_state_id;

CREATE PERFETTO VIEW android_monitor_contention_chain_thread_state_by_txn(
  id LONG, thread_state STRING, thread_state_dur DURATION, thread_state_count LONG
) AS
SELECT id, state AS thread_state, sum(dur) AS thread_state_dur, count(*) AS thread_state_count
FROM android_monitor_contention_chain_thread_state
GROUP BY id, thread_state;

CREATE PERFETTO VIEW android_monitor_contention_chain_blocked_functions_by_txn(
  id LONG, blocked_function STRING, blocked_function_dur DURATION, blocked_function_count LONG
) AS
SELECT id, blocked_function, sum(dur) AS blocked_function_dur, count(*) AS blocked_function_count
FROM android_monitor_contention_chain_thread_state
WHERE blocked_function IS NOT NULL
GROUP BY id, blocked_function;

-- How long threads of a process waited for locks, and which threads held them, as a pprof profile:
-- below a wait stands that of the thread which it waits for.
CREATE PERFETTO FUNCTION android_monitor_contention_graph(
  upid JOINID(process.id)
) RETURNS TABLE(pprof BYTES) AS
WITH waits AS (
  SELECT id, parent_id, dur,
    iif(blocked_thread_name GLOB 'binder:*', 'binder', blocked_thread_name) || ':'
      || short_blocked_method AS blocked,
    iif(blocking_thread_name GLOB 'binder:*', 'binder', blocking_thread_name) || ':'
      || short_blocking_method AS blocking
  FROM android_monitor_contention_chain
  WHERE upid = $upid
  GROUP BY id, parent_id
), stacks AS (
  SELECT id, dur, cat_stacks(blocked, blocking) AS stack
  FROM waits
  WHERE parent_id IS NULL
  UNION ALL
  SELECT w.id, w.dur, cat_stacks(w.blocked, w.blocking, s.stack)
  FROM stacks AS s
  JOIN waits AS w ON w.parent_id = s.id
)
SELECT experimental_profile(stack, 'duration', 'ns', dur) AS pprof
FROM stacks;
