-- What a trace says of itself.
INCLUDE PERFETTO MODULE android.suspend;

CREATE OR REPLACE PERFETTO FUNCTION _metadata_text(name STRING)
RETURNS STRING AS
SELECT str_value FROM metadata WHERE name = $name ORDER BY id LIMIT 1;

CREATE OR REPLACE PERFETTO FUNCTION _metadata_int(name STRING)
RETURNS LONG AS
SELECT int_value FROM metadata WHERE name = $name ORDER BY id LIMIT 1;

CREATE OR REPLACE PERFETTO FUNCTION _kinds_of_loss(severity STRING)
RETURNS LONG AS
SELECT count(*) FROM stats WHERE severity = $severity AND value > 0;

CREATE OR REPLACE PERFETTO VIEW trace_metadata_output AS
SELECT TraceMetadata(
  'trace_duration_ns', trace_dur(),
  'trace_uuid', _metadata_text('trace_uuid'),
  'android_build_fingerprint', _metadata_text('android_build_fingerprint'),
  'android_incremental_build', _metadata_text('android_incremental_build'),
  'android_device_manufacturer', _metadata_text('android_device_manufacturer'),
  'android_profile_boot_classpath', _metadata_int('android_profile_boot_classpath'),
  'android_profile_system_server', _metadata_int('android_profile_system_server'),
  'statsd_triggering_subscription_id', _metadata_int('statsd_triggering_subscription_id'),
  'unique_session_name', _metadata_text('unique_session_name'),
  'trace_size_bytes', _metadata_int('trace_size_bytes'),
  'trace_trigger', (
    SELECT RepeatedField(str_value) FROM metadata WHERE name = 'trace_trigger'
  ),
  'trace_causal_trigger', _metadata_text('trace_causal_trigger'),
  'trace_config_pbtxt', _metadata_text('trace_config_pbtxt'),
  -- Without the time that the device slept.
  'sched_duration_ns', (
    SELECT ifnull(to_monotonic(max(ts)) - to_monotonic(min(ts)), 0) FROM sched
  ),
  'tracing_started_ns', _metadata_int('tracing_started_ns'),
  'android_sdk_version', _metadata_int('android_sdk_version'),
  'suspend_count', (SELECT count(*) FROM android_suspend_state WHERE power_state = 'suspended'),
  'data_loss_count', _kinds_of_loss('data_loss'),
  'error_count', _kinds_of_loss('error')
) AS message;
