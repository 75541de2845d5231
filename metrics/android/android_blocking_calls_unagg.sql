-- Calls that held threads up, of each process.
INCLUDE PERFETTO MODULE android.critical_blocking_calls;
SELECT run_metric('android/process_metadata.sql');

CREATE OR REPLACE PERFETTO VIEW _blocking_calls_of_process AS
SELECT
  upid,
  RepeatedField(AndroidBlockingCall(
    'name', name,
    'cnt', number,
    'avg_dur_ms', CAST(mean / 1e6 AS INT),
    'total_dur_ms', CAST(total / 1e6 AS INT),
    'max_dur_ms', CAST(longest / 1e6 AS INT),
    'min_dur_ms', CAST(shortest / 1e6 AS INT),
    'avg_dur_ns', CAST(mean AS INT),
    'total_dur_ns', total,
    'max_dur_ns', longest,
    'min_dur_ns', shortest)) AS calls
FROM (
  SELECT
    upid, name, count(*) AS number, avg(dur) AS mean, sum(dur) AS total,
    max(dur) AS longest, min(dur) AS shortest
  FROM _android_critical_blocking_calls
  WHERE upid IS NOT NULL
  GROUP BY upid, name
  ORDER BY upid, total DESC, name
)
GROUP BY upid;

CREATE OR REPLACE PERFETTO VIEW android_blocking_calls_unagg_output AS
SELECT AndroidBlockingCallsUnagg(
  'process_with_blocking_calls', (
    SELECT RepeatedField(AndroidBlockingCallsUnagg_ProcessWithBlockingCalls(
      'process', process_metadata_proto(upid), 'blocking_calls', calls))
    FROM _blocking_calls_of_process
  )
) AS message;
