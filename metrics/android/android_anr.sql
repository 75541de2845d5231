-- Apps that did not respond.
INCLUDE PERFETTO MODULE android.anrs;

CREATE OR REPLACE PERFETTO VIEW android_anr_output AS
SELECT AndroidAnrMetric(
  'anr', (
    SELECT RepeatedField(AndroidAnrMetric_Anr(
      'process_name', process_name,
      'pid', pid,
      'subject', subject,
      'error_id', error_id,
      'ts', ts))
    FROM (SELECT * FROM android_anrs ORDER BY ts)
  )
) AS message;
