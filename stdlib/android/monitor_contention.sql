-- Java threads that wait for a lock which another thread holds.
--
-- The slice's name tells both sides:
--   monitor contention with owner OWNER (TID) at METHOD(SOURCE) waiters=N
--     blocking from METHOD(SOURCE)

INCLUDE PERFETTO MODULE android.breakdown;
INCLUDE PERFETTO MODULE android.suspend;
INCLUDE PERFETTO MODULE slices.with_context;

CREATE PERFETTO FUNCTION android_extract_android_monitor_contention_blocking_thread(
  slice_name STRING
) RETURNS STRING AS
SELECT regexp_extract($slice_name, 'with owner (.*) \(-?\d+\) (?:at |waiters=)');

CREATE PERFETTO FUNCTION android_extract_android_monitor_contention_blocking_tid(
  slice_name STRING
) RETURNS LONG AS
SELECT CAST(regexp_extract($slice_name, 'with owner .* \((-?\d+)\) (?:at |waiters=)') AS INTEGER);

CREATE PERFETTO FUNCTION android_extract_android_monitor_contention_blocking_method(
  slice_name STRING
) RETURNS STRING AS
SELECT regexp_extract($slice_name, ' at ([^()]*\([^()]*\))\([^()]*\) waiters=');

CREATE PERFETTO FUNCTION android_extract_android_monitor_contention_blocked_method(
  slice_name STRING
) RETURNS STRING AS
SELECT regexp_extract($slice_name, 'blocking from ([^()]*\([^()]*\))\([^()]*\)$');

CREATE PERFETTO FUNCTION android_extract_android_monitor_contention_short_blocking_method(
  slice_name STRING
) RETURNS STRING AS
SELECT regexp_extract(
  android_extract_android_monitor_contention_blocking_method($slice_name), '([^ ()]*)\(');

CREATE PERFETTO FUNCTION android_extract_android_monitor_contention_short_blocked_method(
  slice_name STRING
) RETURNS STRING AS
SELECT regexp_extract(
  android_extract_android_monitor_contention_blocked_method($slice_name), '([^ ()]*)\(');

CREATE PERFETTO FUNCTION android_extract_android_monitor_contention_waiter_count(
  slice_name STRING
) RETURNS LONG AS
SELECT CAST(regexp_extract($slice_name, 'waiters=(\d+)') AS INTEGER);

CREATE PERFETTO FUNCTION android_extract_android_monitor_contention_blocking_src(
  slice_name STRING
) RETURNS STRING AS
SELECT regexp_extract($slice_name, '\)\(([^()]*)\) waiters=');

CREATE PERFETTO FUNCTION android_extract_android_monitor_contention_blocked_src(
  slice_name STRING
) RETURNS STRING AS
SELECT regexp_extract($slice_name, '\)\(([^()]*)\)$');

-- The reply to a binder transaction that a thread was busy with when it had to wait.
CREATE PERFETTO TABLE _monitor_contention_binder AS
SELECT s.id, a.id AS binder_reply_id, a.ts AS binder_reply_ts
FROM (SELECT id FROM slice WHERE name GLOB 'monitor contention with owner*') AS s
JOIN ancestor_slice(s.id) AS a
WHERE a.name = 'binder reply'
GROUP BY s.id
HAVING max(a.depth) IS NOT NULL;

-- The slice below tells the lock and its holder's tid as the kernel knows it. The contention's own
-- name has the runtime's number for the thread before Android 13.
CREATE PERFETTO TABLE _monitor_contention_locks AS
SELECT parent_id AS id, regexp_extract(name, 'Lock contention on (.*) \(owner tid') AS lock_name,
  CAST(regexp_extract(name, '\(owner tid: (\d+)\)') AS INTEGER) AS owner_tid
FROM slice
WHERE name GLOB 'Lock contention on *' AND parent_id IS NOT NULL
GROUP BY parent_id
HAVING min(id) IS NOT NULL;

-- The thread that holds the lock: by the kernel's tid, else by the kernel's name, of which there
-- are 15 characters.
CREATE PERFETTO TABLE _monitor_contention_owners AS
WITH contentions AS (
  SELECT s.id, s.upid, l.owner_tid AS kernel_tid,
    android_extract_android_monitor_contention_blocking_tid(s.name) AS name_tid,
    android_extract_android_monitor_contention_blocking_thread(s.name) AS name
  FROM thread_slice AS s
  LEFT JOIN _monitor_contention_locks AS l ON l.id = s.id
  WHERE s.name GLOB 'monitor contention with owner*'
)
SELECT c.id, t.utid
FROM contentions AS c
LEFT JOIN thread AS t ON t.upid = c.upid AND (t.tid IN (c.kernel_tid, c.name_tid)
  OR t.name IN (substr(c.name, 1, 15), substr(c.name, -15)) OR t.is_main_thread AND c.name = 'main')
GROUP BY c.id
HAVING max(CASE t.tid WHEN c.kernel_tid THEN 2 WHEN c.name_tid THEN 1 ELSE 0 END) IS NOT NULL;

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
  owner.tid AS blocking_tid,
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
LEFT JOIN _monitor_contention_binder AS b ON b.id = s.id;

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

-- The first wait for a thread, until one of those who wait for it gets the lock: only so long does
-- the thread both hold the lock and keep others from it.
CREATE PERFETTO TABLE _first_waits AS
SELECT first.id, first.ts, min(other.ts + other.dur) - first.ts AS dur, first.blocking_utid AS utid
FROM android_monitor_contention AS first
JOIN android_monitor_contention AS other
  ON other.blocking_utid = first.blocking_utid AND other.ts >= first.ts
    AND other.ts < first.ts + first.dur
WHERE NOT EXISTS (
  SELECT 1
  FROM android_monitor_contention AS earlier
  WHERE earlier.blocking_utid = first.blocking_utid AND earlier.ts < first.ts
    AND earlier.ts + earlier.dur > first.ts
)
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

-- How long threads of a process waited for locks, and which threads held them, as a pprof profile.
CREATE PERFETTO FUNCTION android_monitor_contention_graph(
  upid JOINID(process.id)
) RETURNS TABLE(pprof BYTES) AS
SELECT experimental_profile(cat_stacks(blocked, blocking), 'duration', 'ns', dur) AS pprof
FROM (
  SELECT blocked_thread_name || ':' || short_blocked_method AS blocked,
    blocking_thread_name || ':' || short_blocking_method AS blocking, sum(dur) AS dur
  FROM android_monitor_contention
  WHERE upid = $upid
  GROUP BY blocked, blocking
);
