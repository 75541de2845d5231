-- Switches of a car's user: to each event that follows, and what the user before cost meanwhile.
INCLUDE PERFETTO MODULE android.auto.multiuser;

CREATE OR REPLACE PERFETTO VIEW android_auto_multiuser_output AS
SELECT AndroidAutoMultiuserMetric(
  'user_switch', (
    SELECT RepeatedField(AndroidAutoMultiuserMetric_EventData(
      'user_id', CAST(event_start_user_id AS INT),
      'start_event', event_start_name,
      'end_event', event_end_name,
      'duration_ms', CAST(duration / 1000000 AS INT),
      'previous_user_info', AndroidAutoMultiuserMetric_EventData_UserData(
        'user_id', user_id,
        'total_cpu_time_ms', CAST(total_cpu_time / 1000000 AS INT),
        'total_memory_usage_kb', total_memory_usage_kb)))
    FROM android_auto_multiuser_timing_with_previous_user_resource_usage
  )
) AS message;
