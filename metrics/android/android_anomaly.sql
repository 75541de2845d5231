-- The most binder transactions that each process received, and made, within a second.
INCLUDE PERFETTO MODULE android.binder;

CREATE OR REPLACE PERFETTO FUNCTION _busiest_seconds(is_incoming BOOL)
RETURNS BYTES AS
SELECT RepeatedField(AndroidAnomalyMetric_ProcessAnomaly(
  'process_name', name, 'pid', pid, 'unit', 'COUNT_PER_SECOND', 'value', most))
FROM (
  SELECT pid, name, max(number) AS most
  FROM (
    SELECT
      pid, name,
      count(*) OVER (
        PARTITION BY upid ORDER BY ts RANGE BETWEEN CURRENT ROW AND 1000000000 FOLLOWING
      ) AS number
    FROM (
      SELECT
        iif($is_incoming, server_upid, client_upid) AS upid,
        iif($is_incoming, server_pid, client_pid) AS pid,
        iif($is_incoming, server_process, client_process) AS name,
        iif($is_incoming, server_ts, client_ts) AS ts
      FROM android_binder_txns
    )
  )
  GROUP BY pid, name
  ORDER BY pid
);

CREATE OR REPLACE PERFETTO VIEW android_anomaly_output AS
SELECT AndroidAnomalyMetric(
  'binder', AndroidAnomalyMetric_Binder(
    'max_incoming_process_count_per_second', _busiest_seconds(TRUE),
    'max_outgoing_process_count_per_second', _busiest_seconds(FALSE))
) AS message;
