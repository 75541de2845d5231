-- Waits of threads for Java locks, who held them, and what that thread did meanwhile.
INCLUDE PERFETTO MODULE android.monitor_contention;

CREATE OR REPLACE PERFETTO VIEW _contention_states AS
SELECT
  id,
  RepeatedField(AndroidMonitorContentionMetric_ThreadStateBreakdown(
    'thread_state', thread_state,
    'thread_state_dur', thread_state_dur,
    'thread_state_count', thread_state_count)) AS states
FROM android_monitor_contention_chain_thread_state_by_txn
GROUP BY id;

CREATE OR REPLACE PERFETTO VIEW _contention_functions AS
SELECT
  id,
  RepeatedField(AndroidMonitorContentionMetric_BlockedFunctionBreakdown(
    'blocked_function', blocked_function,
    'blocked_function_dur', blocked_function_dur,
    'blocked_function_count', blocked_function_count)) AS functions
FROM android_monitor_contention_chain_blocked_functions_by_txn
GROUP BY id;

CREATE OR REPLACE PERFETTO VIEW android_monitor_contention_output AS
SELECT AndroidMonitorContentionMetric(
  'node', (
    SELECT RepeatedField(AndroidMonitorContentionMetric_Node(
      'node_parent_id', c.parent_id,
      'node_child_id', c.child_id,
      'node_id', c.id,
      'ts', c.ts,
      'dur', c.dur,
      'monotonic_dur', c.monotonic_dur,
      'blocking_method', c.blocking_method,
      'blocked_method', c.blocked_method,
      'short_blocking_method', c.short_blocking_method,
      'short_blocked_method', c.short_blocked_method,
      'blocking_src', c.blocking_src,
      'blocked_src', c.blocked_src,
      'waiter_count', c.waiter_count,
      'blocking_thread_name', c.blocking_thread_name,
      'blocked_thread_name', c.blocked_thread_name,
      'blocked_thread_tid', c.blocked_thread_tid,
      'blocking_thread_tid', c.blocking_thread_tid,
      'process_name', c.process_name,
      'pid', c.pid,
      'is_blocked_thread_main', c.is_blocked_thread_main,
      'is_blocking_thread_main', c.is_blocking_thread_main,
      'binder_reply_ts', c.binder_reply_ts,
      'binder_reply_tid', c.binder_reply_tid,
      'thread_states', s.states,
      'blocked_functions', f.functions))
    FROM android_monitor_contention_chain AS c
    LEFT JOIN _contention_states AS s USING (id)
    LEFT JOIN _contention_functions AS f USING (id)
  )
) AS message;
