-- Binder transactions: by process, and each of them with what its threads did.
INCLUDE PERFETTO MODULE android.binder;
INCLUDE PERFETTO MODULE android.binder_breakdown;
INCLUDE PERFETTO MODULE android.process_metadata;

CREATE OR REPLACE PERFETTO VIEW _txn_states AS
SELECT
  binder_txn_id,
  RepeatedField(AndroidBinderMetric_ThreadStateBreakdown(
    'thread_state_type', thread_state_type,
    'thread_state', thread_state,
    'thread_state_dur', thread_state_dur,
    'thread_state_count', thread_state_count)) AS states
FROM android_sync_binder_thread_state_by_txn
GROUP BY binder_txn_id;

CREATE OR REPLACE PERFETTO VIEW _txn_functions AS
SELECT
  binder_txn_id,
  RepeatedField(AndroidBinderMetric_BlockedFunctionBreakdown(
    'thread_state_type', thread_state_type,
    'blocked_function', blocked_function,
    'blocked_function_dur', blocked_function_dur,
    'blocked_function_count', blocked_function_count)) AS functions
FROM android_sync_binder_blocked_functions_by_txn
GROUP BY binder_txn_id;

CREATE OR REPLACE PERFETTO VIEW _txn_reasons AS
SELECT
  binder_txn_id,
  RepeatedField(AndroidBinderMetric_LogicalReasonBreakdown(
    'thread_state_type', side, 'reason', reason, 'reason_dur', dur)) AS reasons
FROM (
  SELECT binder_txn_id, 'binder_reply' AS side, reason, sum(dur) AS dur
  FROM android_binder_server_breakdown
  GROUP BY binder_txn_id, reason
  UNION ALL
  SELECT binder_txn_id, 'binder_txn', reason, sum(dur)
  FROM android_binder_client_breakdown
  GROUP BY binder_txn_id, reason
)
GROUP BY binder_txn_id;

CREATE OR REPLACE PERFETTO VIEW android_binder_output AS
SELECT AndroidBinderMetric(
  'process_breakdown', (
    SELECT RepeatedField(AndroidBinderMetric_PerProcessBreakdown(
      'process_name', process_name,
      'pid', pid,
      'slice_name', slice_name,
      'count', event_count))
    FROM (SELECT * FROM android_binder_metrics_by_process ORDER BY process_name, pid, slice_name)
  ),
  'unaggregated_txn_breakdown', (
    SELECT RepeatedField(AndroidBinderMetric_UnaggregatedTxnBreakdown(
      'aidl_name', t.aidl_name,
      'aidl_ts', t.aidl_ts,
      'aidl_dur', t.aidl_dur,
      'is_sync', t.is_sync,
      'client_process', t.client_process,
      'client_thread', t.client_thread,
      'is_main_thread', t.is_main_thread,
      'client_ts', t.client_ts,
      'client_dur', t.client_dur,
      'client_monotonic_dur', t.client_monotonic_dur,
      'client_oom_score', t.client_oom_score,
      'client_package_version_code', c.version_code,
      'is_client_package_debuggable', c.debuggable,
      'server_process', t.server_process,
      'server_thread', t.server_thread,
      'server_ts', t.server_ts,
      'server_dur', t.server_dur,
      'server_monotonic_dur', t.server_monotonic_dur,
      'server_oom_score', t.server_oom_score,
      'server_package_version_code', s.version_code,
      'is_server_package_debuggable', s.debuggable,
      'thread_states', states,
      'blocked_functions', functions,
      'logical_reasons', reasons,
      'client_tid', t.client_tid,
      'server_tid', t.server_tid,
      'client_pid', t.client_pid,
      'server_pid', t.server_pid))
    FROM android_binder_txns AS t
    LEFT JOIN android_process_metadata AS c ON c.upid = t.client_upid
    LEFT JOIN android_process_metadata AS s ON s.upid = t.server_upid
    LEFT JOIN _txn_states USING (binder_txn_id)
    LEFT JOIN _txn_functions USING (binder_txn_id)
    LEFT JOIN _txn_reasons USING (binder_txn_id)
    WHERE t.client_process IS NOT NULL
  )
) AS message;
