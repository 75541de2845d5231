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

-- Name of the thread that holds the lock.
CREATE PERFETTO FUNCTION android_extract_android_monitor_contention_blocking_thread(
  -- Name of a slice `monitor contention with...`.
  slice_name STRING
)
-- The thread's name; NULL for other slices.
RETURNS STRING AS
SELECT _text_between!($slice_name, 'with owner ', ' (');

-- Tid of the thread that holds the lock.
CREATE PERFETTO FUNCTION android_extract_android_monitor_contention_blocking_tid(
  -- Name of a slice `monitor contention with...`.
  slice_name STRING
)
-- The tid, before Android 13 the runtime's own number of the thread; NULL for other slices.
RETURNS LONG AS
SELECT CAST(_text_between!($slice_name, ' (', ')') AS INTEGER);

-- The method in which the lock is held.
CREATE PERFETTO FUNCTION android_extract_android_monitor_contention_blocking_method(
  -- Name of a slice `monitor contention with...`.
  slice_name STRING
)
-- Return type, name and parameters; NULL for other slices.
RETURNS STRING AS
SELECT _method_behind!($slice_name, ') at ');

-- The method that waits for the lock.
CREATE PERFETTO FUNCTION android_extract_android_monitor_contention_blocked_method(
  -- Name of a slice `monitor contention with...`.
  slice_name STRING
)
-- Return type, name and parameters; NULL for other slices.
RETURNS STRING AS
SELECT _method_behind!($slice_name, 'blocking from ');

-- Name of the method in which the lock is held.
CREATE PERFETTO FUNCTION android_extract_android_monitor_contention_short_blocking_method(
  -- Name of a slice `monitor contention with...`.
  slice_name STRING
)
-- The name with its class, without types; NULL for other slices.
RETURNS STRING AS
SELECT _method_name!(_method_behind!($slice_name, ') at '));

-- Name of the method that waits for the lock.
CREATE PERFETTO FUNCTION android_extract_android_monitor_contention_short_blocked_method(
  -- Name of a slice `monitor contention with...`.
  slice_name STRING
)
-- The name with its class, without types; NULL for other slices.
RETURNS STRING AS
SELECT _method_name!(_method_behind!($slice_name, 'blocking from '));

-- How many other threads wait for the lock.
CREATE PERFETTO FUNCTION android_extract_android_monitor_contention_waiter_count(
  -- Name of a slice `monitor contention with...`.
  slice_name STRING
)
-- Their number at the beginning of the slice; NULL for other slices.
RETURNS LONG AS
SELECT CAST(_text_between!($slice_name, 'waiters=', ' ') AS INTEGER);

-- Where in the source the lock is held.
CREATE PERFETTO FUNCTION android_extract_android_monitor_contention_blocking_src(
  -- Name of a slice `monitor contention with...`.
  slice_name STRING
)
-- File and line, `File.java:1`; NULL for other slices.
RETURNS STRING AS
SELECT _text_between!($slice_name, ')(', ')');

-- Where in the source the lock is waited for.
CREATE PERFETTO FUNCTION android_extract_android_monitor_contention_blocked_src(
  -- Name of a slice `monitor contention with...`.
  slice_name STRING
)
-- File and line, `File.java:1`; NULL for other slices.
RETURNS STRING AS
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

-- One row per wait of a thread for a Java lock. The blocked thread waits, the blocking one holds
-- the lock.
CREATE PERFETTO TABLE android_monitor_contention(
  -- Method in which the lock is held, with its types.
  blocking_method STRING,
  -- Method that waits, with its types.
  blocked_method STRING,
  -- `blocking_method` without its types.
  short_blocking_method STRING,
  -- `blocked_method` without its types.
  short_blocked_method STRING,
  -- File and line at which the lock is held.
  blocking_src STRING,
  -- File and line that waits.
  blocked_src STRING,
  -- How many other threads waited at the time.
  waiter_count LONG,
  -- The blocked thread.
  blocked_utid JOINID(thread.id),
  -- Name of the blocked thread.
  blocked_thread_name STRING,
  -- The blocking thread; NULL if its tid is not a thread of the process.
  blocking_utid JOINID(thread.id),
  -- Name of the blocking thread, as the slice has it.
  blocking_thread_name STRING,
  -- Tid of the blocking thread, as the slice has it.
  blocking_tid LONG,
  -- Process of both threads.
  upid JOINID(process.id),
  -- Name of the process of both threads.
  process_name STRING,
  -- The slice of the wait (joins slice.id).
  id LONG,
  -- When the wait began.
  ts TIMESTAMP,
  -- How long the wait lasted.
  dur DURATION,
  -- `dur` without the time that the device was suspended.
  monotonic_dur DURATION,
  -- The slice's track.
  track_id JOINID(track.id),
  -- 1 if the blocked thread is the main one.
  is_blocked_thread_main LONG,
  -- Tid of the blocked thread.
  blocked_thread_tid LONG,
  -- 1 if the blocking thread is the main one.
  is_blocking_thread_main LONG,
  -- Tid of the blocking thread; NULL if the thread is not known.
  blocking_thread_tid LONG,
  -- Slice of the binder call that the blocked thread was handling (joins slice.id); NULL if none.
  binder_reply_id LONG,
  -- When the slice of `binder_reply_id` began.
  binder_reply_ts TIMESTAMP,
  -- Tid of the thread of `binder_reply_id`, the blocked one.
  binder_reply_tid LONG,
  -- Pid of the process.
  pid LONG,
  -- Name of the lock, for those that trace it.
  lock_name STRING
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

-- The rows of android_monitor_contention, linked: one for each parent and child. Chains: a
-- contention's parent is what the holder of its lock was itself waiting for when it began, its
-- child one that waits in the same way for the blocked thread.
CREATE PERFETTO TABLE android_monitor_contention_chain(
  -- The wait of the blocking thread (joins `id`); NULL if it did not wait.
  parent_id LONG,
  -- Method in which the lock is held, with its types.
  blocking_method STRING,
  -- Method that waits, with its types.
  blocked_method STRING,
  -- `blocking_method` without its types.
  short_blocking_method STRING,
  -- `blocked_method` without its types.
  short_blocked_method STRING,
  -- File and line at which the lock is held.
  blocking_src STRING,
  -- File and line that waits.
  blocked_src STRING,
  -- How many other threads waited at the time.
  waiter_count LONG,
  -- The blocked thread.
  blocked_utid JOINID(thread.id),
  -- Name of the blocked thread.
  blocked_thread_name STRING,
  -- The blocking thread; NULL if its tid is not a thread of the process.
  blocking_utid JOINID(thread.id),
  -- Name of the blocking thread, as the slice has it.
  blocking_thread_name STRING,
  -- Tid of the blocking thread, as the slice has it.
  blocking_tid LONG,
  -- Process of both threads.
  upid JOINID(process.id),
  -- Name of the process of both threads.
  process_name STRING,
  -- The slice of the wait (joins slice.id).
  id LONG,
  -- When the wait began.
  ts TIMESTAMP,
  -- How long the wait lasted.
  dur DURATION,
  -- `dur` without the time that the device was suspended.
  monotonic_dur DURATION,
  -- The slice's track.
  track_id JOINID(track.id),
  -- 1 if the blocked thread is the main one.
  is_blocked_thread_main LONG,
  -- Tid of the blocked thread.
  blocked_thread_tid LONG,
  -- 1 if the blocking thread is the main one.
  is_blocking_thread_main LONG,
  -- Tid of the blocking thread; NULL if the thread is not known.
  blocking_thread_tid LONG,
  -- Slice of the binder call that the blocked thread was handling (joins slice.id); NULL if none.
  binder_reply_id LONG,
  -- When the slice of `binder_reply_id` began.
  binder_reply_ts TIMESTAMP,
  -- Tid of the thread of `binder_reply_id`, the blocked one.
  binder_reply_tid LONG,
  -- Pid of the process.
  pid LONG,
  -- The wait of another thread for the blocked one (joins `id`); NULL if none did.
  child_id LONG,
  -- Name of the lock, for those that trace it.
  lock_name STRING
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

-- States of the thread that held a lock while others waited for it, cut to the first wait.
CREATE PERFETTO TABLE android_monitor_contention_chain_thread_state(
  -- The first wait for the lock (joins android_monitor_contention.id).
  id LONG,
  -- When the state began, not before the wait.
  ts TIMESTAMP,
  -- How long the state lasted within the wait.
  dur DURATION,
  -- The thread that held the lock.
  blocking_utid JOINID(thread.id),
  -- Kernel function in which the thread was blocked; NULL if none.
  blocked_function STRING,
  -- State as in thread_state.state.
  state STRING
) AS
SELECT o.id AS id, o.ts, o.dur, t.utid AS blocking_utid, t.blocked_function, t.state
FROM _thread_states_within!(_first_waits) AS o
JOIN thread_state AS t ON t.id = o.thread_state_id;

-- The same summed up by state.
CREATE PERFETTO VIEW android_monitor_contention_chain_thread_state_by_txn(
  -- The wait (joins android_monitor_contention.id).
  id LONG,
  -- State as in thread_state.state.
  thread_state STRING,
  -- Total time in the state.
  thread_state_dur DURATION,
  -- How often the thread was in the state.
  thread_state_count LONG
) AS
SELECT id, state AS thread_state, sum(dur) AS thread_state_dur, count(*) AS thread_state_count
FROM android_monitor_contention_chain_thread_state
GROUP BY id, thread_state;

-- The same summed up by the kernel function in which the thread was blocked.
CREATE PERFETTO VIEW android_monitor_contention_chain_blocked_functions_by_txn(
  -- The wait (joins android_monitor_contention.id).
  id LONG,
  -- The kernel function.
  blocked_function STRING,
  -- Total time blocked in the function.
  blocked_function_dur DURATION,
  -- How often the thread was blocked in the function.
  blocked_function_count LONG
) AS
SELECT id, blocked_function, sum(dur) AS blocked_function_dur, count(*) AS blocked_function_count
FROM android_monitor_contention_chain_thread_state
WHERE blocked_function IS NOT NULL
GROUP BY id, blocked_function;

-- How long threads of a process waited for locks, and which threads held them, as a pprof profile:
-- below a wait stands that of the thread which it waits for.
CREATE PERFETTO FUNCTION android_monitor_contention_graph(
  -- The process.
  upid JOINID(process.id)
) RETURNS TABLE(
  -- The profile as a pprof message; values in ns.
  pprof BYTES
) AS
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

-- Contentions in which somebody else waited for a thread that was waiting itself.
CREATE PERFETTO VIEW _children AS
SELECT outer.id AS parent_id, waiting.*
FROM android_monitor_contention AS waiting
JOIN android_monitor_contention AS outer ON outer.blocked_utid = waiting.blocking_utid
  AND waiting.ts BETWEEN outer.ts AND outer.ts + outer.dur
ORDER BY waiting.id;

CREATE PERFETTO VIEW _child_of AS
SELECT parent_id AS id, min(id) AS child_id FROM _children GROUP BY parent_id;

-- Contentions below which there is nothing but the runtime's own wait for the lock.
CREATE PERFETTO VIEW _valid_android_monitor_contention AS
SELECT s.id
FROM slice AS s
LEFT JOIN slice AS inside ON inside.parent_id = s.id
LEFT JOIN slice AS below ON below.parent_id = inside.id
WHERE s.name GLOB 'monitor contention*' AND below.name IS NULL
  AND (inside.name IS NULL OR inside.name GLOB 'Lock contention*')
GROUP BY s.id;

CREATE PERFETTO VIEW _blocking_thread_state AS
SELECT utid AS blocking_utid, ts, dur, state, blocked_function FROM thread_state;

-- The first of those that wait for a lock, until none of them does.
CREATE PERFETTO VIEW _first_blocked_contention AS
SELECT first.id, first.blocking_utid, first.ts, min(other.ts + other.dur) - first.ts AS dur
FROM android_monitor_contention_chain AS first
JOIN android_monitor_contention_chain AS other ON other.blocking_utid = first.blocking_utid
  AND other.blocking_method = first.blocking_method
  AND other.ts BETWEEN first.ts AND first.ts + first.dur
WHERE first.waiter_count = 0
GROUP BY first.id;
