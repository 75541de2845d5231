-- Java threads that wait for a lock which another thread holds.
--
-- The slice's name tells both sides:
--   monitor contention with owner OWNER (TID) at METHOD(SOURCE) waiters=N blocking from METHOD(SOURCE)

INCLUDE PERFETTO MODULE slices.with_context;

CREATE PERFETTO FUNCTION android_extract_android_monitor_contention_blocking_thread(
  slice_name STRING
) RETURNS STRING AS
SELECT regexp_extract($slice_name, 'with owner (.*) \(-?\d+\) at ');

CREATE PERFETTO FUNCTION android_extract_android_monitor_contention_blocking_tid(
  slice_name STRING
) RETURNS LONG AS
SELECT CAST(regexp_extract($slice_name, 'with owner .* \((-?\d+)\) at ') AS INTEGER);

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

CREATE PERFETTO TABLE _monitor_contention_binder AS
SELECT s.id, a.id AS binder_reply_id, a.ts AS binder_reply_ts
FROM (SELECT id FROM slice WHERE name GLOB 'monitor contention with owner*') AS s
JOIN ancestor_slice(s.id) AS a
WHERE a.name = 'binder reply'
GROUP BY s.id
HAVING max(a.depth);

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
  s.dur AS monotonic_dur,
  s.track_id,
  s.is_main_thread AS is_blocked_thread_main,
  s.tid AS blocked_thread_tid,
  owner.is_main_thread AS is_blocking_thread_main,
  owner.tid AS blocking_thread_tid,
  b.binder_reply_id,
  b.binder_reply_ts,
  iif(b.binder_reply_id IS NULL, NULL, s.tid) AS binder_reply_tid,
  s.pid,
  regexp_extract(inner_slice.name, 'Lock contention on (.*) \(owner tid') AS lock_name
FROM thread_slice AS s
LEFT JOIN slice AS inner_slice
  ON inner_slice.parent_id = s.id AND inner_slice.name GLOB 'Lock contention on*'
LEFT JOIN thread AS owner ON owner.upid = s.upid AND owner.name = substr(
  android_extract_android_monitor_contention_blocking_thread(s.name), 1, 15)
LEFT JOIN _monitor_contention_binder AS b ON b.id = s.id
WHERE s.name GLOB 'monitor contention with owner*'
GROUP BY s.id;

-- What the holder of the lock was itself waiting for: contentions of the blocking thread that
-- overlap in time.
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
  ON parent.blocked_utid = c.blocking_utid AND c.ts < parent.ts + parent.dur
    AND parent.ts < c.ts + c.dur
LEFT JOIN android_monitor_contention AS child
  ON child.blocking_utid = c.blocked_utid AND c.ts < child.ts + child.dur
    AND child.ts < c.ts + c.dur;

CREATE PERFETTO TABLE android_monitor_contention_chain_thread_state(
  id LONG, ts TIMESTAMP, dur DURATION, blocking_utid JOINID(thread.id), blocked_function STRING,
  state STRING
) AS
SELECT c.id, max(c.ts, t.ts) AS ts, min(c.ts + c.dur, t.ts + t.dur) - max(c.ts, t.ts) AS dur,
  c.blocking_utid, t.blocked_function, t.state
FROM (SELECT DISTINCT id, ts, dur, blocking_utid FROM android_monitor_contention_chain) AS c
JOIN thread_state AS t
  ON t.utid = c.blocking_utid AND t.ts < c.ts + c.dur AND t.ts + t.dur > c.ts;

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
