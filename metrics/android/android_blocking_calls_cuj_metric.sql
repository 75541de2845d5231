-- Calls that held up each user journey.
INCLUDE PERFETTO MODULE android.cujs.sysui_cujs;
SELECT run_metric('android/process_metadata.sql');

CREATE OR REPLACE PERFETTO VIEW blocking_call_slices_scoped_to_cujs AS
SELECT
  slice_id AS id, slice_id, name, ts, ts_end, dur, cuj_id, cuj_name, process_name, upid, utid
FROM android_cuj_blocking_calls;

CREATE OR REPLACE PERFETTO VIEW _blocking_calls_of_cuj AS
SELECT
  cuj_id,
  RepeatedField(AndroidBlockingCall(
    'name', name,
    'cnt', number,
    'total_dur_ms', CAST(total / 1e6 AS INT),
    'max_dur_ms', CAST(longest / 1e6 AS INT),
    'min_dur_ms', CAST(shortest / 1e6 AS INT),
    'total_dur_ns', total,
    'max_dur_ns', longest,
    'min_dur_ns', shortest)) AS calls
FROM (
  SELECT
    cuj_id, name, count(*) AS number, sum(dur) AS total, max(dur) AS longest, min(dur) AS shortest
  FROM blocking_call_slices_scoped_to_cujs
  GROUP BY cuj_id, name
  ORDER BY cuj_id, total DESC, name
)
GROUP BY cuj_id;

CREATE OR REPLACE PERFETTO VIEW android_blocking_calls_cuj_metric_output AS
SELECT AndroidBlockingCallsCujMetric(
  'cuj', (
    SELECT RepeatedField(AndroidBlockingCallsCujMetric_Cuj(
      'id', cuj_id,
      'name', cuj_name,
      'process', process_metadata_proto(upid),
      'ts', ts,
      'dur', dur,
      'blocking_calls', calls))
    FROM android_jank_latency_cujs
    LEFT JOIN _blocking_calls_of_cuj USING (cuj_id)
  )
) AS message;
