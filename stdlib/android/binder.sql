-- Binder transactions: the client's slice, the server's slice, and what they did meanwhile.

INCLUDE PERFETTO MODULE android.breakdown;
INCLUDE PERFETTO MODULE android.process_metadata;
INCLUDE PERFETTO MODULE android.suspend;
INCLUDE PERFETTO MODULE slices.with_context;

-- oom_score_adj of a process at a time; NULL where it is not known.
CREATE PERFETTO FUNCTION _oom_score_at(upid JOINID(process.id), ts TIMESTAMP) RETURNS LONG AS
SELECT CAST(counter.value AS INTEGER)
FROM process_counter_track AS t
JOIN counter ON counter.track_id = t.id
WHERE t.upid = $upid AND t.type = 'oom_score_adj' AND counter.ts <= $ts
ORDER BY counter.ts DESC
LIMIT 1;

CREATE PERFETTO TABLE _binder_pairs AS
SELECT client.id AS client_id, server.id AS server_id, client.name = 'binder transaction' AS is_sync
FROM slice AS client
JOIN flow ON flow.slice_out = client.id
JOIN slice AS server ON server.id = flow.slice_in
WHERE (client.name = 'binder transaction' AND server.name = 'binder reply')
  OR (client.name = 'binder transaction async' AND server.name = 'binder async rcv');

-- The stub that the server ran for a transaction, named by the interface's language.
CREATE PERFETTO TABLE _binder_aidl AS
SELECT p.server_id, s.name AS aidl_name, s.ts AS aidl_ts, s.dur AS aidl_dur,
  str_split(s.name, '::', 2) AS interface, str_split(s.name, '::', 3) AS method_name
FROM _binder_pairs AS p
JOIN slice AS s ON s.parent_id = p.server_id
WHERE s.name GLOB 'AIDL::*' OR s.name GLOB 'HIDL::*'
GROUP BY p.server_id
HAVING min(s.ts) IS NOT NULL;

CREATE PERFETTO TABLE android_binder_txns(
  aidl_name STRING, interface STRING, method_name STRING, aidl_ts TIMESTAMP, aidl_dur DURATION,
  binder_txn_id JOINID(slice.id), client_process STRING, client_thread STRING,
  client_upid JOINID(process.id), client_utid JOINID(thread.id), client_tid LONG, client_pid LONG,
  is_main_thread BOOL, client_ts TIMESTAMP, client_dur DURATION, binder_reply_id JOINID(slice.id),
  server_process STRING, server_thread STRING, server_upid JOINID(process.id),
  server_utid JOINID(thread.id), server_tid LONG, server_pid LONG, server_ts TIMESTAMP,
  server_dur DURATION, client_oom_score LONG, server_oom_score LONG, is_sync BOOL,
  client_monotonic_dur DURATION, server_monotonic_dur DURATION, client_package_version_code LONG,
  server_package_version_code LONG, is_client_package_debuggable BOOL,
  is_server_package_debuggable BOOL
) AS
SELECT a.aidl_name, a.interface, a.method_name, a.aidl_ts, a.aidl_dur,
  c.id AS binder_txn_id, c.process_name AS client_process, c.thread_name AS client_thread,
  c.upid AS client_upid, c.utid AS client_utid, c.tid AS client_tid, c.pid AS client_pid,
  c.is_main_thread, c.ts AS client_ts, c.dur AS client_dur,
  s.id AS binder_reply_id, s.process_name AS server_process, s.thread_name AS server_thread,
  s.upid AS server_upid, s.utid AS server_utid, s.tid AS server_tid, s.pid AS server_pid,
  s.ts AS server_ts, s.dur AS server_dur,
  _oom_score_at(c.upid, c.ts) AS client_oom_score,
  _oom_score_at(s.upid, s.ts) AS server_oom_score,
  p.is_sync,
  _awake_dur(c.ts, c.dur) AS client_monotonic_dur,
  _awake_dur(s.ts, s.dur) AS server_monotonic_dur,
  client_package.version_code AS client_package_version_code,
  server_package.version_code AS server_package_version_code,
  client_package.debuggable AS is_client_package_debuggable,
  server_package.debuggable AS is_server_package_debuggable
FROM _binder_pairs AS p
JOIN thread_slice AS c ON c.id = p.client_id
JOIN thread_slice AS s ON s.id = p.server_id
LEFT JOIN _binder_aidl AS a ON a.server_id = p.server_id
LEFT JOIN android_process_metadata AS client_package ON client_package.upid = c.upid
LEFT JOIN android_process_metadata AS server_package ON server_package.upid = s.upid;

CREATE PERFETTO VIEW android_binder_metrics_by_process(
  process_name STRING, pid LONG, slice_name STRING, event_count LONG
) AS
SELECT process_name, pid, name AS slice_name, count(*) AS event_count
FROM thread_slice
WHERE name GLOB 'binder transaction*' OR name IN ('binder reply', 'binder async rcv')
GROUP BY process_name, pid, slice_name;

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

CREATE PERFETTO VIEW android_sync_binder_thread_state_by_txn(
  binder_txn_id LONG, client_ts TIMESTAMP, client_tid LONG, binder_reply_id LONG,
  server_ts TIMESTAMP, server_tid LONG, thread_state_type STRING, thread_state STRING,
  thread_state_dur DURATION, thread_state_count LONG
) AS
SELECT binder_txn_id, client_ts, client_tid, binder_reply_id, server_ts, server_tid,
  thread_state_type, state AS thread_state, sum(dur) AS thread_state_dur,
  count(*) AS thread_state_count
FROM _binder_thread_states
GROUP BY binder_txn_id, binder_reply_id, thread_state_type, thread_state;

CREATE PERFETTO VIEW android_sync_binder_blocked_functions_by_txn(
  binder_txn_id LONG, client_ts TIMESTAMP, client_tid LONG, binder_reply_id LONG,
  server_ts TIMESTAMP, server_tid LONG, thread_state_type STRING, blocked_function STRING,
  blocked_function_dur DURATION, blocked_function_count LONG
) AS
SELECT binder_txn_id, client_ts, client_tid, binder_reply_id, server_ts, server_tid,
  thread_state_type, blocked_function, sum(dur) AS blocked_function_dur,
  count(*) AS blocked_function_count
FROM _binder_thread_states
WHERE blocked_function IS NOT NULL
GROUP BY binder_txn_id, binder_reply_id, thread_state_type, blocked_function;

-- The same calls as pprof profiles: how long a process waited, by its threads and whom they called;
-- how long it worked for others; and who waited for whom among processes of these scores.
CREATE PERFETTO FUNCTION android_binder_outgoing_graph(
  upid JOINID(process.id)
) RETURNS TABLE(pprof BYTES) AS
SELECT experimental_profile(cat_stacks(client_thread, server_process, interface, method_name),
  'duration', 'ns', dur) AS pprof
FROM (
  SELECT client_thread, server_process, interface, method_name, sum(client_dur) AS dur
  FROM android_binder_txns
  WHERE client_upid = $upid
  GROUP BY client_thread, server_process, interface, method_name
);

CREATE PERFETTO FUNCTION android_binder_incoming_graph(
  upid JOINID(process.id)
) RETURNS TABLE(pprof BYTES) AS
SELECT experimental_profile(cat_stacks(client_process, interface, method_name), 'duration', 'ns',
  dur) AS pprof
FROM (
  SELECT client_process, interface, method_name, sum(server_dur) AS dur
  FROM android_binder_txns
  WHERE server_upid = $upid
  GROUP BY client_process, interface, method_name
);

CREATE PERFETTO FUNCTION android_binder_graph(
  min_client_oom_score LONG, max_client_oom_score LONG, min_server_oom_score LONG,
  max_server_oom_score LONG
) RETURNS TABLE(pprof BYTES) AS
SELECT experimental_profile(cat_stacks(client_process, server_process), 'duration', 'ns', dur)
  AS pprof
FROM (
  SELECT client_process, server_process, sum(client_dur) AS dur
  FROM android_binder_txns
  WHERE client_oom_score BETWEEN $min_client_oom_score AND $max_client_oom_score
    AND server_oom_score BETWEEN $min_server_oom_score AND $max_server_oom_score
  GROUP BY client_process, server_process
);
