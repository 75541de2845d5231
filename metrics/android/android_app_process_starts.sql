-- Processes that were started for apps, and what for.
INCLUDE PERFETTO MODULE android.app_process_starts;

CREATE OR REPLACE PERFETTO FUNCTION _process_starts(reason STRING)
RETURNS BYTES AS
SELECT RepeatedField(AndroidAppProcessStartsMetric_ProcessStart(
  'process_name', process_name,
  'intent', intent,
  'reason', reason,
  'proc_start_dur', proc_start_dur,
  'bind_app_dur', bind_app_dur,
  'intent_dur', intent_dur,
  'total_dur', total_dur))
FROM (SELECT * FROM android_app_process_starts ORDER BY proc_start_ts)
WHERE $reason IS NULL OR reason = $reason;

CREATE OR REPLACE PERFETTO VIEW android_app_process_starts_output AS
SELECT AndroidAppProcessStartsMetric(
  'all_apps', _process_starts(NULL),
  'started_by_broadcast', _process_starts('broadcast'),
  'started_by_service', _process_starts('service')
) AS message;
