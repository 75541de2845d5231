-- Why synchronous binder transactions took as long as they did, on each side.

INCLUDE PERFETTO MODULE android.binder;
INCLUDE PERFETTO MODULE android.breakdown;
INCLUDE PERFETTO MODULE intervals.overlap;

-- A side of a transaction with everything called within it.
CREATE PERFETTO MACRO _binder_innermost(root_column ColumnName) RETURNS TableOrSubquery AS (
  SELECT row_number() OVER () AS id, i.root_id, i.slice_id, s.utid, i.ts, i.dur
  FROM _innermost_slices!((
    SELECT r.id AS root_id, r.id, NULL AS parent_id, r.depth, r.ts, r.ts + r.dur AS ts_end
    FROM android_binder_txns AS b
    JOIN slice AS r ON r.id = b.$root_column
    WHERE b.is_sync AND r.dur > 0
    UNION ALL
    SELECT r.id, s.id, s.parent_id, s.depth, s.ts, s.ts + s.dur
    FROM android_binder_txns AS b
    JOIN slice AS r ON r.id = b.$root_column
    JOIN descendant_slice(r.id) AS s
    WHERE b.is_sync AND r.dur > 0 AND s.dur > 0
  )) AS i
  JOIN thread_slice AS s ON s.id = i.root_id
);

-- Why a thread was slow while a slice of a transaction, `flat_id`, was its innermost. `binder_txn_id`
-- and `binder_reply_id` are the transaction's own slices.
CREATE PERFETTO FUNCTION _binder_reason(
  name STRING, state STRING, io_wait LONG, binder_txn_id LONG, binder_reply_id LONG, flat_id LONG
) RETURNS STRING AS
SELECT CASE
  WHEN $name = 'mm_vmscan_direct_reclaim' THEN 'kernel_memory_reclaim'
  WHEN $name GLOB 'GC: Wait For*' THEN 'userspace_memory_reclaim'
  WHEN $state <> 'S' THEN iif($io_wait, 'io', $state)
  WHEN $name GLOB 'monitor contention*'
    OR $name GLOB 'Lock contention on a monitor lock*' THEN 'monitor_contention'
  WHEN $name GLOB 'Lock contention*' THEN 'art_lock_contention'
  WHEN $flat_id NOT IN ($binder_txn_id, $binder_reply_id)
    AND $name IN ('binder transaction', 'binder reply') THEN 'binder'
  WHEN $name = 'Contending for pthread mutex' THEN 'mutex_contention'
  ELSE $state
END;

CREATE PERFETTO TABLE _binder_server_innermost AS
SELECT * FROM _binder_innermost!(binder_reply_id);

CREATE PERFETTO TABLE _binder_client_innermost AS
SELECT * FROM _binder_innermost!(binder_txn_id);

CREATE PERFETTO MACRO _binder_side(
  innermost TableOrSubquery, root_column ColumnName
) RETURNS TableOrSubquery AS (
  SELECT b.binder_txn_id, b.binder_reply_id, o.ts, o.dur,
    _binder_reason(s.name, t.state, t.io_wait, b.binder_txn_id, b.binder_reply_id, i.slice_id)
      AS reason
  FROM _thread_states_within!($innermost) AS o
  JOIN $innermost AS i ON i.id = o.id
  JOIN slice AS s ON s.id = i.slice_id
  JOIN thread_state AS t ON t.id = o.thread_state_id
  JOIN android_binder_txns AS b ON b.$root_column = i.root_id
);

-- Server's side of synchronous transactions, cut where the reason for being slow changes.
CREATE PERFETTO TABLE android_binder_server_breakdown(
  -- The client's slice.
  binder_txn_id JOINID(slice.id),
  -- The server's slice.
  binder_reply_id JOINID(slice.id),
  -- When the part began.
  ts TIMESTAMP,
  -- How long the part lasted.
  dur DURATION,
  -- What the thread did or waited for: a named cause such as `monitor_contention`, `binder` or
  -- `io`, else its scheduling state.
  reason STRING
) AS
SELECT * FROM _binder_side!(_binder_server_innermost, binder_reply_id);

-- Client's side of synchronous transactions, cut where the reason for being slow changes.
CREATE PERFETTO TABLE android_binder_client_breakdown(
  -- The client's slice.
  binder_txn_id JOINID(slice.id),
  -- The server's slice.
  binder_reply_id JOINID(slice.id),
  -- When the part began.
  ts TIMESTAMP,
  -- How long the part lasted.
  dur DURATION,
  -- What the thread did or waited for: a named cause such as `monitor_contention`, `binder` or
  -- `io`, else its scheduling state.
  reason STRING
) AS
SELECT * FROM _binder_side!(_binder_client_innermost, binder_txn_id);

CREATE PERFETTO VIEW _binder_client_reasons AS
SELECT ts, dur, binder_txn_id, binder_reply_id, reason AS client_reason
FROM android_binder_client_breakdown;

CREATE PERFETTO VIEW _binder_server_reasons AS
SELECT ts, dur, binder_txn_id, reason AS server_reason
FROM android_binder_server_breakdown;

CREATE VIRTUAL TABLE _binder_both_reasons USING SPAN_LEFT_JOIN(
  _binder_client_reasons PARTITIONED binder_txn_id,
  _binder_server_reasons PARTITIONED binder_txn_id
);

-- Both sides of synchronous transactions laid over each other. While the server works on a
-- transaction its reasons count, before and after it the client's.
CREATE PERFETTO TABLE android_binder_client_server_breakdown(
  -- The client's slice.
  binder_txn_id JOINID(slice.id),
  -- The server's slice.
  binder_reply_id JOINID(slice.id),
  -- When the part began.
  ts TIMESTAMP,
  -- How long the part lasted.
  dur DURATION,
  -- The server's reason; NULL while it did not work on the transaction.
  server_reason STRING,
  -- The client's reason.
  client_reason STRING,
  -- The server's reason if there is one, else the client's.
  reason STRING,
  -- Whose reason that is: `server` or `client`.
  reason_type STRING
) AS
SELECT binder_txn_id, binder_reply_id, ts, dur, server_reason, client_reason,
  coalesce(server_reason, client_reason) AS reason,
  iif(server_reason IS NULL, 'client', 'server') AS reason_type
FROM _binder_both_reasons;
