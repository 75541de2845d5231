-- How many broadcasts were delivered, and how long each took.
INCLUDE PERFETTO MODULE android.broadcasts;

CREATE OR REPLACE PERFETTO VIEW android_broadcasts_output AS
SELECT AndroidBroadcastsMetric(
  'process_count_by_intent', (
    SELECT RepeatedField(AndroidBroadcastsMetric_BroadcastCountAggregation(
      'name', intent_action, 'count', number))
    FROM (SELECT intent_action, count(*) AS number FROM _android_broadcasts_minsdk_u GROUP BY intent_action ORDER BY intent_action)
  ),
  'broadcast_count_by_process', (
    SELECT RepeatedField(AndroidBroadcastsMetric_BroadcastCountAggregation(
      'name', process_name, 'count', number))
    FROM (
      SELECT process_name, count(*) AS number FROM _android_broadcasts_minsdk_u
      GROUP BY process_name
      ORDER BY process_name
    )
  ),
  'brodcast_duration_agg_by_intent', (
    SELECT RepeatedField(AndroidBroadcastsMetric_BroadcastDurationAggregation(
      'name', intent_action,
      'avg_duration', mean,
      'max_duration', longest,
      'sum_duration', total))
    FROM (
      SELECT intent_action, avg(dur) AS mean, max(dur) AS longest, sum(dur) AS total
      FROM _android_broadcasts_minsdk_u
      GROUP BY intent_action
      ORDER BY intent_action
    )
  ),
  'brodcast_duration_agg_by_process', (
    SELECT RepeatedField(AndroidBroadcastsMetric_BroadcastDurationAggregation(
      'name', process_name,
      'avg_duration', mean,
      'max_duration', longest,
      'sum_duration', total))
    FROM (
      SELECT process_name, avg(dur) AS mean, max(dur) AS longest, sum(dur) AS total
      FROM _android_broadcasts_minsdk_u
      GROUP BY process_name
      ORDER BY process_name
    )
  )
) AS message;
