-- Bindings to services: who asked, and who was bound.

INCLUDE PERFETTO MODULE android.binder;

-- system_server marks a request with an instant and sends it on with a one-way call, the instant
-- that follows beneath the same slice. Most requests are themselves part of a client's call.
CREATE PERFETTO TABLE _service_requests AS
SELECT CAST(regexp_extract(request.name, 'bindSeq=(-?\d+)') AS INTEGER) AS bind_seq,
  request.next_id AS call_id, t.utid, (
    SELECT root.ts FROM ancestor_slice(request.next_id) AS root WHERE root.depth = 0
  ) AS root_ts
FROM (
  SELECT name, track_id, lead(id) OVER parent AS next_id, lead(name) OVER parent AS next_name
  FROM slice
  WHERE dur = 0
  WINDOW parent AS (PARTITION BY parent_id ORDER BY ts)
) AS request
JOIN thread_track AS t ON t.id = request.track_id
WHERE request.name GLOB 'requestServiceBinding*'
  AND request.next_name = 'binder transaction async';

CREATE PERFETTO TABLE _service_binds AS
SELECT id, ts, dur, regexp_extract(name, 'token=(?:ServiceRecord\{)?([^ }]+)') AS token,
  regexp_extract(name, 'act=([^ }]+)') AS act, regexp_extract(name, 'cmp=([^ }]+)') AS cmp,
  regexp_extract(name, ' flg=([^ }]+)') AS flg,
  CAST(regexp_extract(name, 'bindSeq=(-?\d+)') AS INTEGER) AS bind_seq
FROM slice
WHERE name GLOB 'serviceBind:*';

-- One row per binding of a service that both sides traced. Where the client's own call is not in
-- the trace, system_server is the client; where no call reached the server, neither is known.
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
SELECT coalesce(c.client_oom_score, s.client_oom_score) AS client_oom_score,
  coalesce(c.client_process, s.client_process) AS client_process,
  coalesce(c.client_thread, s.client_thread) AS client_thread,
  coalesce(c.client_pid, s.client_pid) AS client_pid,
  coalesce(c.client_tid, s.client_tid) AS client_tid,
  coalesce(c.client_upid, s.client_upid) AS client_upid,
  coalesce(c.client_utid, s.client_utid) AS client_utid,
  coalesce(c.client_ts, s.client_ts) AS client_ts,
  coalesce(c.client_dur, s.client_dur) AS client_dur, s.server_oom_score, s.server_process,
  s.server_thread, s.server_pid, s.server_tid, s.server_upid, s.server_utid, b.ts AS server_ts,
  b.dur AS server_dur, b.token, b.act, b.cmp, b.flg, b.bind_seq
FROM _service_requests AS r
JOIN _service_binds AS b USING (bind_seq)
LEFT JOIN android_binder_txns AS s ON s.binder_txn_id = r.call_id
LEFT JOIN android_binder_txns AS c ON c.server_ts = r.root_ts AND c.server_utid = r.utid;
