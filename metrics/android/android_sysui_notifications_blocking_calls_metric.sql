-- How long SystemUI measured views of notifications.
INCLUDE PERFETTO MODULE slices.with_context;

CREATE OR REPLACE PERFETTO VIEW android_sysui_notifications_blocking_calls_metric_output AS
SELECT AndroidSysUINotificationsBlockingCallsMetric(
  'blocking_calls', (
    SELECT RepeatedField(AndroidBlockingCall(
      'name', name,
      'cnt', number,
      'total_dur_ns', total,
      'max_dur_ns', longest,
      'min_dur_ns', shortest))
    FROM (
      SELECT name, count(*) AS number, sum(dur) AS total, max(dur) AS longest, min(dur) AS shortest
      FROM thread_slice
      WHERE process_name = 'com.android.systemui' AND dur > 0
        AND (
          name IN (
            'NotificationStackScrollLayout#onMeasure', 'NotificationShadeWindowView#onMeasure',
            'ImageFloatingTextView#onMeasure'
          )
          OR name GLOB 'ExpNotRow#onMeasure(*)'
        )
      GROUP BY name
      ORDER BY name
    )
  )
) AS message;
