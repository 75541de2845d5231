-- Binder transactions: the client's slice, the server's slice, and what they did meanwhile.

INCLUDE PERFETTO MODULE android.breakdown;
INCLUDE PERFETTO MODULE android.process_metadata;
INCLUDE PERFETTO MODULE android.suspend;
INCLUDE PERFETTO MODULE slices.flow;
INCLUDE PERFETTO MODULE slices.with_context;

-- oom_score_adj of a process at a time; NULL where it is not known.
CREATE PERFETTO FUNCTION _oom_score_at(upid JOINID(process.id), ts TIMESTAMP) RETURNS LONG AS
SELECT CAST(counter.value AS INTEGER)
FROM process_counter_track AS t
JOIN counter ON counter.track_id = t.id
WHERE t.upid = $upid AND t.type = 'oom_score_adj' AND counter.ts <= $ts
ORDER BY counter.ts DESC
LIMIT 1;

-- A call that waits for its reply counts where both are complete.
CREATE PERFETTO TABLE _binder_pairs AS
SELECT client.id AS client_id, server.id AS server_id, client.name = 'binder transaction' AS is_sync
FROM slice AS client
JOIN flow ON flow.slice_out = client.id
JOIN slice AS server ON server.id = flow.slice_in
WHERE (client.name = 'binder transaction' AND server.name = 'binder reply'
    AND client.dur <> -1 AND server.dur <> -1 AND client.dur >= server.dur)
  OR (client.name = 'binder transaction async' AND server.name = 'binder async rcv');

-- What servers run for a transaction, named by the interface's language; a reply's first by name.
-- After an asynchronous one it is what its thread runs next.
CREATE PERFETTO TABLE _binder_stubs AS
SELECT id, ts, dur, parent_id, track_id, name
FROM slice
WHERE name GLOB 'AIDL::*[Ss]erver' OR name GLOB 'HIDL::*server';

-- What arrives without a reply, and what else such threads run, with what follows it on the thread.
CREATE PERFETTO TABLE _async_binder_reply AS
SELECT id, ts, dur, track_id, name, lead(name) OVER on_track AS next_name,
  lead(ts) OVER on_track AS next_ts, lead(dur) OVER on_track AS next_dur
FROM (
  SELECT id, ts, dur, track_id, name FROM slice WHERE name = 'binder async rcv'
  UNION ALL
  SELECT id, ts, dur, track_id, name FROM _binder_stubs
)
WINDOW on_track AS (PARTITION BY track_id ORDER BY ts)
ORDER BY id;

CREATE PERFETTO TABLE _binder_aidl AS
SELECT p.server_id, min(s.name) AS aidl_name, s.ts AS aidl_ts, s.dur AS aidl_dur
FROM _binder_pairs AS p
JOIN _binder_stubs AS s ON s.parent_id = p.server_id
WHERE p.is_sync
GROUP BY p.server_id
UNION ALL
SELECT id, next_name, next_ts, next_dur
FROM _async_binder_reply
WHERE name = 'binder async rcv' AND next_name <> 'binder async rcv';

-- One row per binder transaction of which both sides are in the trace.
CREATE PERFETTO TABLE android_binder_txns(
  -- Name of the AIDL or HIDL slice in which the server handled the call; NULL if not traced.
  aidl_name STRING,
  -- Interface of the called method, the third part of `aidl_name`.
  interface STRING,
  -- The called method, the fourth part of `aidl_name`.
  method_name STRING,
  -- When the slice of `aidl_name` began.
  aidl_ts TIMESTAMP,
  -- How long the slice of `aidl_name` lasted.
  aidl_dur DURATION,
  -- The client's slice.
  binder_txn_id JOINID(slice.id),
  -- Name of the calling process.
  client_process STRING,
  -- Name of the calling thread.
  client_thread STRING,
  -- The calling process.
  client_upid JOINID(process.id),
  -- The calling thread.
  client_utid JOINID(thread.id),
  -- The calling thread's tid.
  client_tid LONG,
  -- The calling process's pid.
  client_pid LONG,
  -- Whether the client called on its main thread.
  is_main_thread BOOL,
  -- When the client's slice began.
  client_ts TIMESTAMP,
  -- How long the client's slice lasted: for synchronous calls until the reply.
  client_dur DURATION,
  -- The server's slice.
  binder_reply_id JOINID(slice.id),
  -- Name of the process that handled the call.
  server_process STRING,
  -- Name of the thread that handled the call.
  server_thread STRING,
  -- The process that handled the call.
  server_upid JOINID(process.id),
  -- The thread that handled the call.
  server_utid JOINID(thread.id),
  -- Tid of the thread that handled the call.
  server_tid LONG,
  -- Pid of the process that handled the call.
  server_pid LONG,
  -- When the server's slice began.
  server_ts TIMESTAMP,
  -- How long the server's slice lasted.
  server_dur DURATION,
  -- oom_score_adj of the client when it called; NULL if not known.
  client_oom_score LONG,
  -- oom_score_adj of the server when it began; NULL if not known.
  server_oom_score LONG,
  -- Whether the client waited for a reply (not oneway).
  is_sync BOOL,
  -- `client_dur` without the time that the device was suspended.
  client_monotonic_dur DURATION,
  -- `server_dur` without the time that the device was suspended.
  server_monotonic_dur DURATION,
  -- versionCode of the client's package.
  client_package_version_code LONG,
  -- versionCode of the server's package.
  server_package_version_code LONG,
  -- Whether the client's package is debuggable.
  is_client_package_debuggable BOOL,
  -- Whether the server's package is debuggable.
  is_server_package_debuggable BOOL
) AS
SELECT a.aidl_name, str_split(a.aidl_name, '::', 2) AS interface,
  str_split(a.aidl_name, '::', 3) AS method_name, a.aidl_ts, a.aidl_dur,
  c.id AS binder_txn_id, c.process_name AS client_process, c.thread_name AS client_thread,
  c.upid AS client_upid, c.utid AS client_utid, c.tid AS client_tid, c.pid AS client_pid,
  c.is_main_thread, c.ts AS client_ts, c.dur AS client_dur,
  s.id AS binder_reply_id, s.process_name AS server_process, s.thread_name AS server_thread,
  s.upid AS server_upid, s.utid AS server_utid, s.tid AS server_tid, s.pid AS server_pid,
  s.ts AS server_ts, s.dur AS server_dur,
  _oom_score_at(c.upid, c.ts) AS client_oom_score,
  _oom_score_at(s.upid, s.ts) AS server_oom_score,
  p.is_sync,
  _extract_duration_without_suspend(c.ts, c.dur) AS client_monotonic_dur,
  _extract_duration_without_suspend(s.ts, s.dur) AS server_monotonic_dur,
  client_package.version_code AS client_package_version_code,
  server_package.version_code AS server_package_version_code,
  client_package.debuggable AS is_client_package_debuggable,
  server_package.debuggable AS is_server_package_debuggable
FROM _binder_pairs AS p
JOIN thread_slice AS c ON c.id = p.client_id AND c.upid IS NOT NULL
JOIN thread_slice AS s ON s.id = p.server_id AND s.upid IS NOT NULL
LEFT JOIN _binder_aidl AS a ON a.server_id = p.server_id
LEFT JOIN android_process_metadata AS client_package ON client_package.upid = c.upid
LEFT JOIN android_process_metadata AS server_package ON server_package.upid = s.upid
ORDER BY binder_txn_id;

-- How many binder slices each process had, by their names.
CREATE PERFETTO VIEW android_binder_metrics_by_process(
  -- Name of the process.
  process_name STRING,
  -- Pid of the process, of any of them if several have the name.
  pid LONG,
  -- Name of the slices, e.g. `binder transaction async`.
  slice_name STRING,
  -- How many there were.
  event_count LONG
) AS
SELECT process_name, pid, name AS slice_name, count(*) AS event_count
FROM thread_slice
WHERE name GLOB 'binder*' AND upid IS NOT NULL
GROUP BY process_name, slice_name;

-- What both threads were doing, for each transaction that waits for its reply.
CREATE PERFETTO TABLE _binder_waits AS
SELECT row_number() OVER (ORDER BY ts) AS id, *
FROM (
  SELECT binder_txn_id, 'binder_txn' AS thread_state_type, client_ts AS ts, client_dur AS dur,
    client_utid AS utid
  FROM android_binder_txns
  WHERE is_sync
  UNION ALL
  SELECT binder_txn_id, 'binder_reply', server_ts, server_dur, server_utid
  FROM android_binder_txns
  WHERE is_sync
);

CREATE PERFETTO TABLE _binder_thread_states AS
SELECT b.binder_txn_id, b.client_ts, b.client_tid, b.binder_reply_id, b.server_ts, b.server_tid,
  w.thread_state_type, t.state, t.blocked_function, o.dur
FROM _thread_states_within!(_binder_waits) AS o
JOIN _binder_waits AS w ON w.id = o.id
JOIN thread_state AS t ON t.id = o.thread_state_id
JOIN android_binder_txns AS b ON b.binder_txn_id = w.binder_txn_id;

-- Time that each thread of a synchronous transaction spent in each scheduling state.
CREATE PERFETTO VIEW android_sync_binder_thread_state_by_txn(
  -- The client's slice (joins slice.id).
  binder_txn_id LONG,
  -- When the client's slice began.
  client_ts TIMESTAMP,
  -- The calling thread's tid.
  client_tid LONG,
  -- The server's slice (joins slice.id).
  binder_reply_id LONG,
  -- When the server's slice began.
  server_ts TIMESTAMP,
  -- Tid of the thread that handled the call.
  server_tid LONG,
  -- Whose states: `binder_txn` for the client's thread, `binder_reply` for the server's.
  thread_state_type STRING,
  -- State as in thread_state.state.
  thread_state STRING,
  -- Time in the state within that side's slice.
  thread_state_dur DURATION,
  -- How often the thread was in the state.
  thread_state_count LONG
) AS
SELECT binder_txn_id, client_ts, client_tid, binder_reply_id, server_ts, server_tid,
  thread_state_type, state AS thread_state, sum(dur) AS thread_state_dur,
  count(*) AS thread_state_count
FROM _binder_thread_states
GROUP BY thread_state_type, binder_txn_id, binder_reply_id, thread_state
ORDER BY thread_state_type DESC, binder_txn_id, binder_reply_id, thread_state;

-- Kernel functions in which the threads of a synchronous transaction were blocked.
CREATE PERFETTO VIEW android_sync_binder_blocked_functions_by_txn(
  -- The client's slice (joins slice.id).
  binder_txn_id LONG,
  -- When the client's slice began.
  client_ts TIMESTAMP,
  -- The calling thread's tid.
  client_tid LONG,
  -- The server's slice (joins slice.id).
  binder_reply_id LONG,
  -- When the server's slice began.
  server_ts TIMESTAMP,
  -- Tid of the thread that handled the call.
  server_tid LONG,
  -- Whose states: `binder_txn` for the client's thread, `binder_reply` for the server's.
  thread_state_type STRING,
  -- The kernel function, as in thread_state.blocked_function.
  blocked_function STRING,
  -- Time blocked in the function within that side's slice.
  blocked_function_dur DURATION,
  -- How often the thread was blocked in the function.
  blocked_function_count LONG
) AS
SELECT binder_txn_id, client_ts, client_tid, binder_reply_id, server_ts, server_tid,
  thread_state_type, blocked_function, sum(dur) AS blocked_function_dur,
  count(*) AS blocked_function_count
FROM _binder_thread_states
WHERE blocked_function IS NOT NULL
GROUP BY thread_state_type, binder_txn_id, binder_reply_id, blocked_function
ORDER BY thread_state_type DESC, binder_txn_id, binder_reply_id, blocked_function;

-- The same calls as pprof profiles of the time that servers took: from a process (NULL: from all)
-- by its threads and whom they called; to a process by its clients; and among processes of these
-- scores. The levels of an interface's name start with its language only where that is AIDL.
CREATE PERFETTO FUNCTION _binder_level(aidl_name STRING, level LONG) RETURNS STRING AS
SELECT str_split($aidl_name, '::', $level + iif($aidl_name GLOB 'AIDL*', 1, 0));

-- Calls that a process made, as a pprof profile of the servers' time: below each of its threads the
-- process, interface and method that it called.
CREATE PERFETTO FUNCTION android_binder_outgoing_graph(
  -- The calling process; NULL for all.
  upid JOINID(process.id)
) RETURNS TABLE(
  -- The profile as a pprof message; values in ns.
  pprof BYTES
) AS
SELECT experimental_profile(cat_stacks(client_thread, server_process, _binder_level(aidl_name, 1),
  _binder_level(aidl_name, 2)), 'duration', 'ns', server_dur) AS pprof
FROM android_binder_txns
WHERE $upid IS NULL OR client_upid = $upid;

-- Calls that a process handled, as a pprof profile of its time: below each client the interface and
-- method that was called.
CREATE PERFETTO FUNCTION android_binder_incoming_graph(
  -- The process that handled the calls; NULL for all.
  upid JOINID(process.id)
) RETURNS TABLE(
  -- The profile as a pprof message; values in ns.
  pprof BYTES
) AS
SELECT experimental_profile(cat_stacks(client_process, _binder_level(aidl_name, 1),
  _binder_level(aidl_name, 2)), 'duration', 'ns', server_dur) AS pprof
FROM android_binder_txns
WHERE $upid IS NULL OR server_upid = $upid;

-- Which processes called which, as a pprof profile of the servers' time. Only transactions with
-- both scores within the given bounds, which are included.
CREATE PERFETTO FUNCTION android_binder_graph(
  -- Lowest oom_score_adj of clients.
  min_client_oom_score LONG,
  -- Highest oom_score_adj of clients.
  max_client_oom_score LONG,
  -- Lowest oom_score_adj of servers.
  min_server_oom_score LONG,
  -- Highest oom_score_adj of servers.
  max_server_oom_score LONG
) RETURNS TABLE(
  -- The profile as a pprof message; values in ns.
  pprof BYTES
) AS
SELECT experimental_profile(cat_stacks(client_process, server_process), 'duration', 'ns',
  server_dur) AS pprof
FROM android_binder_txns
WHERE client_oom_score BETWEEN $min_client_oom_score AND $max_client_oom_score
  AND server_oom_score BETWEEN $min_server_oom_score AND $max_server_oom_score;

-- The same transactions in parts: those that wait for their reply, those that do not, each without
-- and with what the processes' oom_score_adj was.
CREATE PERFETTO VIEW _sync_binder_metrics_by_txn AS
SELECT aidl_name, aidl_ts, aidl_dur, binder_txn_id, client_process, client_thread, client_upid,
  client_utid, client_tid, client_pid, is_main_thread, client_ts, client_dur, binder_reply_id,
  server_process, server_thread, server_upid, server_utid, server_tid, server_pid, server_ts,
  server_dur, client_oom_score, server_oom_score
FROM android_binder_txns
WHERE is_sync;

CREATE PERFETTO VIEW _async_binder_metrics_by_txn AS
SELECT aidl_name, aidl_ts, aidl_dur, binder_txn_id, client_process, client_thread, client_upid,
  client_utid, client_tid, client_pid, is_main_thread, client_ts, client_dur, binder_reply_id,
  server_process, server_thread, server_upid, server_utid, server_tid, server_pid, server_ts,
  server_dur, client_oom_score, server_oom_score
FROM android_binder_txns
WHERE NOT is_sync;

CREATE PERFETTO VIEW _binder_txn_merged AS
SELECT aidl_name, aidl_ts, aidl_dur, binder_txn_id, client_process, client_thread, client_upid,
  client_utid, client_tid, client_pid, is_main_thread, client_ts, client_dur, binder_reply_id,
  server_process, server_thread, server_upid, server_utid, server_tid, server_pid, server_ts,
  server_dur
FROM _sync_binder_metrics_by_txn;

CREATE PERFETTO VIEW _binder_async_txn AS
SELECT aidl_name, aidl_ts, aidl_dur, binder_txn_id, client_process, client_thread, client_upid,
  client_utid, client_tid, client_pid, is_main_thread, client_ts, client_dur, binder_reply_id,
  server_process, server_thread, server_upid, server_utid, server_tid, server_pid, server_ts,
  server_dur
FROM _async_binder_metrics_by_txn;

-- The client's and the server's side as intervals of threads.
CREATE PERFETTO VIEW _binder_txn AS
SELECT client_ts AS ts, client_dur AS dur, client_utid AS utid, * FROM _sync_binder_metrics_by_txn;

CREATE PERFETTO VIEW _binder_reply AS
SELECT server_ts AS ts, server_dur AS dur, server_utid AS utid, * FROM _sync_binder_metrics_by_txn;

-- Calls that do not wait, whether or not their server is in the trace.
CREATE PERFETTO VIEW _binder_async_txn_raw AS
SELECT id AS binder_txn_id, process_name AS client_process, thread_name AS client_thread,
  upid AS client_upid, utid AS client_utid, tid AS client_tid, pid AS client_pid, is_main_thread,
  ts AS client_ts, dur AS client_dur
FROM thread_slice
WHERE name = 'binder transaction async' AND upid IS NOT NULL;

-- oom_score_adj of processes, each value until the next.
CREATE PERFETTO VIEW _oom_score AS
SELECT t.upid, CAST(c.value AS INTEGER) AS value, c.ts,
  lead(c.ts, 1, trace_end()) OVER (PARTITION BY t.upid ORDER BY c.ts) AS end_ts
FROM process_counter_track AS t
JOIN counter AS c ON c.track_id = t.id
WHERE t.name = 'oom_score_adj';
