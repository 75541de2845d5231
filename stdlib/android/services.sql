-- Bindings to services: who asked, and who was bound.

INCLUDE PERFETTO MODULE android.binder;
INCLUDE PERFETTO MODULE slices.with_context;

-- system_server marks a request with an instant and sends it on with the one-way call that follows
-- beneath the same slice. Most requests are themselves part of a client's call.
CREATE PERFETTO TABLE _service_requests AS
SELECT CAST(regexp_extract(s.name, 'bindSeq=(-?\d+)') AS INTEGER) AS bind_seq, (
    SELECT min(call.id)
    FROM slice AS call
    WHERE call.track_id = s.track_id AND call.parent_id IS s.parent_id AND call.id > s.id
      AND call.name = 'binder transaction async'
  ) AS call_id, coalesce((
    SELECT min(a.id) FROM ancestor_slice(s.id) AS a WHERE a.depth = 0
  ), s.id) AS root_id
FROM thread_slice AS s
WHERE s.name GLOB 'requestServiceBinding*' AND s.dur = 0;

CREATE PERFETTO TABLE _service_binds AS
SELECT id, ts, dur, regexp_extract(name, 'token=(?:ServiceRecord\{)?([^ }]+)') AS token,
  regexp_extract(name, 'act=([^ }]+)') AS act, regexp_extract(name, 'cmp=([^ }]+)') AS cmp,
  regexp_extract(name, ' flg=([^ }]+)') AS flg,
  CAST(regexp_extract(name, 'bindSeq=(-?\d+)') AS INTEGER) AS bind_seq
FROM slice
WHERE name GLOB 'serviceBind:*';

-- One row per binding of a service that both sides traced. Where the client's own call is not in
-- the trace, system_server is the client.
CREATE PERFETTO TABLE android_service_bindings(
  -- oom_score_adj of the client; NULL if not known.
  client_oom_score LONG,
  -- Name of the process that asked for the binding.
  client_process STRING,
  -- Name of the thread that asked for the binding.
  client_thread STRING,
  -- Pid of the client.
  client_pid LONG,
  -- Tid of the client's thread.
  client_tid LONG,
  -- The client.
  client_upid JOINID(process.id),
  -- The client's thread.
  client_utid JOINID(thread.id),
  -- When the client's binder call began.
  client_ts TIMESTAMP,
  -- How long the call lasted.
  client_dur DURATION,
  -- oom_score_adj of the server; NULL if not known.
  server_oom_score LONG,
  -- Name of the process that has the service.
  server_process STRING,
  -- Name of the thread that system_server's call reached.
  server_thread STRING,
  -- Pid of the server.
  server_pid LONG,
  -- Tid of the server's thread.
  server_tid LONG,
  -- The server.
  server_upid JOINID(process.id),
  -- The server's thread.
  server_utid JOINID(thread.id),
  -- When the service was bound: its slice `serviceBind:...` began.
  server_ts TIMESTAMP,
  -- How long the slice `serviceBind:...` lasted.
  server_dur DURATION,
  -- Token of the service, as the slice `serviceBind:...` has it.
  token STRING,
  -- Action of the intent.
  act STRING,
  -- Component of the intent: the service.
  cmp STRING,
  -- Flags of the intent, as hex.
  flg STRING,
  -- Number by which request and binding belong together.
  bind_seq LONG
) AS
SELECT c.client_oom_score, c.client_process, c.client_thread, c.client_pid, c.client_tid,
  c.client_upid, c.client_utid, c.client_ts, c.client_dur, s.server_oom_score, s.server_process,
  s.server_thread, s.server_pid, s.server_tid, s.server_upid, s.server_utid, b.ts AS server_ts,
  b.dur AS server_dur, b.token, b.act, b.cmp, b.flg, b.bind_seq
FROM _service_requests AS r
JOIN _service_binds AS b USING (bind_seq)
JOIN android_binder_txns AS s ON s.binder_txn_id = r.call_id
JOIN android_binder_txns AS c ON c.binder_txn_id = coalesce((
  SELECT min(binder_txn_id) FROM android_binder_txns AS own WHERE own.binder_reply_id = r.root_id
), r.call_id);
