-- How many broadcasts were delivered, and how long each took.
SELECT run_metric('android/broadcast_slices.sql');

CREATE OR REPLACE PERFETTO VIEW android_broadcasts_output AS
SELECT AndroidBroadcastsMetric(
  'process_count_by_intent', (
    SELECT RepeatedField(AndroidBroadcastsMetric_BroadcastCountAggregation(
      'name', intent, 'count', number))
    FROM (SELECT intent, count(*) AS number FROM _broadcast GROUP BY intent ORDER BY intent)
  ),
  'broadcast_count_by_process', (
    SELECT RepeatedField(AndroidBroadcastsMetric_BroadcastCountAggregation(
      'name', process_name, 'count', number))
    FROM (
      SELECT process_name, count(*) AS number FROM _broadcast
      GROUP BY process_name
      ORDER BY process_name
    )
  ),
  'brodcast_duration_agg_by_intent', (
    SELECT RepeatedField(AndroidBroadcastsMetric_BroadcastDurationAggregation(
      'name', intent,
      'avg_duration', mean,
      'max_duration', longest,
      'sum_duration', total))
    FROM (
      SELECT intent, avg(dur) AS mean, max(dur) AS longest, sum(dur) AS total
      FROM _broadcast
      GROUP BY intent
      ORDER BY intent
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
      FROM _broadcast
      GROUP BY process_name
      ORDER BY process_name
    )
  )
) AS message;
