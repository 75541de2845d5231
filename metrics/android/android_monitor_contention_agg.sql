-- How often and how long the threads of each process waited for Java locks.
INCLUDE PERFETTO MODULE android.monitor_contention;

CREATE OR REPLACE PERFETTO VIEW android_monitor_contention_agg_output AS
SELECT AndroidMonitorContentionAggMetric(
  'process_aggregation', (
    SELECT RepeatedField(AndroidMonitorContentionAggMetric_ProcessAggregation(
      'name', process_name,
      'total_contention_count', number,
      'total_contention_dur', total,
      'main_thread_contention_count', main_number,
      'main_thread_contention_dur', main_total))
    FROM (
      SELECT
        process_name,
        count(*) AS number,
        sum(dur) AS total,
        nullif(count(*) FILTER (WHERE is_blocked_thread_main), 0) AS main_number,
        sum(dur) FILTER (WHERE is_blocked_thread_main) AS main_total
      FROM android_monitor_contention
      GROUP BY process_name
      ORDER BY process_name
    )
  )
) AS message;
