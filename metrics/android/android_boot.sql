-- How Android started: its processes, apps that were started, garbage collections, the OOM adjuster
-- and broadcasts.
INCLUDE PERFETTO MODULE android.app_process_starts;
INCLUDE PERFETTO MODULE android.garbage_collection;
SELECT run_metric('android/boot_end.sql');
INCLUDE PERFETTO MODULE android.broadcasts;
SELECT run_metric(
  'android/oom_adjuster_views.sql',
  'message', 'AndroidBootMetric',
  'since', '_boot_end()');

CREATE OR REPLACE PERFETTO FUNCTION _process_durations(process_name STRING)
RETURNS BYTES AS
SELECT iif(count(*) = 0, NULL, ProcessStateDurations(
  'total_dur', sum(s.dur),
  'uninterruptible_sleep_dur', sum(iif(s.state GLOB 'D*', s.dur, 0))))
FROM process AS p
JOIN thread AS t USING (upid)
JOIN thread_state AS s USING (utid)
WHERE p.name = $process_name;

CREATE OR REPLACE PERFETTO FUNCTION _process_starts_since(since LONG)
RETURNS BYTES AS
SELECT AndroidBootMetric_ProcessStartAggregation(
  'total_start_sum', sum(total_dur),
  'num_of_processes', count(*),
  'average_start_time', avg(total_dur))
FROM android_app_process_starts
WHERE proc_start_ts > $since;

CREATE OR REPLACE PERFETTO FUNCTION _collections_since(since LONG)
RETURNS BYTES AS
SELECT AndroidBootMetric_GarbageCollectionAggregation(
  'total_gc_count', count(*),
  'num_of_processes_with_gc', count(DISTINCT upid),
  'num_of_threads_with_gc', nullif(count(DISTINCT utid), 0),
  'avg_gc_duration', avg(gc_dur),
  'avg_running_gc_duration', avg(gc_running_dur),
  'full_gc_count', count(*) FILTER (WHERE gc_type = 'full'),
  'collector_transition_gc_count', count(*) FILTER (WHERE gc_type = 'collector_transition'),
  'young_gc_count', count(*) FILTER (WHERE gc_type = 'young'),
  'native_alloc_gc_count', count(*) FILTER (WHERE gc_type = 'native_alloc'),
  'explicit_gc_count', count(*) FILTER (WHERE gc_type = 'explicit_gc' OR gc_type = 'explicit'),
  'alloc_gc_count', count(*) FILTER (WHERE gc_type = 'alloc'),
  'mb_per_ms_of_gc', sum(reclaimed_mb) / (sum(gc_running_dur) / 1e6))
FROM android_garbage_collection_events
WHERE gc_ts > $since;

CREATE OR REPLACE PERFETTO VIEW android_boot_output AS
SELECT AndroidBootMetric(
  'system_server_durations', _process_durations('system_server'),
  'systemui_durations', _process_durations('com.android.systemui'),
  'launcher_durations', _process_durations('com.google.android.apps.nexuslauncher'),
  'gms_durations', _process_durations('com.google.android.gms.persistent'),
  'launcher_breakdown', (
    SELECT AndroidBootMetric_LauncherBreakdown('cold_start_dur', s.dur)
    FROM slice AS s
    WHERE s.name = 'LauncherColdStartup' AND s.dur >= 0
    ORDER BY s.ts
    LIMIT 1
  ),
  'full_trace_process_start_aggregation', (
    SELECT _process_starts_since(-1)
    WHERE EXISTS (SELECT 1 FROM android_app_process_starts)
  ),
  'post_boot_process_start_aggregation', _process_starts_since(_boot_end()),
  'full_trace_gc_aggregation', _collections_since(-1),
  'post_boot_gc_aggregation', _collections_since(_boot_end()),
  'post_boot_oom_adjuster_transition_counts_by_process', (
    SELECT list FROM _oom_transitions_of_process
  ),
  'post_boot_oom_adjuster_transition_counts_global', (SELECT list FROM _oom_transitions),
  'post_boot_oom_adjuster_transition_counts_by_oom_adj_reason', (
    SELECT list FROM _oom_transitions_of_reason
  ),
  'post_boot_oom_adj_bucket_duration_agg_global', (SELECT list FROM _oom_time),
  'post_boot_oom_adj_bucket_duration_agg_by_process', (SELECT list FROM _oom_time_of_process),
  'post_boot_oom_adj_duration_agg', (SELECT list FROM _oom_adjustments_of_reason),
  'post_boot_broadcast_process_count_by_intent', (
    SELECT RepeatedField(AndroidBootMetric_BroadcastCountAggregation(
      'name', intent_action, 'count', number))
    FROM (
      SELECT intent_action, count(*) AS number FROM _android_broadcasts_minsdk_u
      WHERE ts > _boot_end()
      GROUP BY intent_action
      ORDER BY intent_action
    )
  ),
  'post_boot_broadcast_count_by_process', (
    SELECT RepeatedField(AndroidBootMetric_BroadcastCountAggregation(
      'name', process_name, 'count', number))
    FROM (
      SELECT process_name, count(*) AS number FROM _android_broadcasts_minsdk_u
      WHERE ts > _boot_end()
      GROUP BY process_name
      ORDER BY process_name
    )
  ),
  'post_boot_brodcast_duration_agg_by_intent', (
    SELECT RepeatedField(AndroidBootMetric_BroadcastDurationAggregation(
      'name', intent_action,
      'avg_duration', mean,
      'max_duration', longest,
      'sum_duration', total))
    FROM (
      SELECT intent_action, avg(dur) AS mean, max(dur) AS longest, sum(dur) AS total
      FROM _android_broadcasts_minsdk_u
      WHERE ts > _boot_end()
      GROUP BY intent_action
      ORDER BY intent_action
    )
  ),
  'post_boot_brodcast_duration_agg_by_process', (
    SELECT RepeatedField(AndroidBootMetric_BroadcastDurationAggregation(
      'name', process_name,
      'avg_duration', mean,
      'max_duration', longest,
      'sum_duration', total))
    FROM (
      SELECT process_name, avg(dur) AS mean, max(dur) AS longest, sum(dur) AS total
      FROM _android_broadcasts_minsdk_u
      WHERE ts > _boot_end()
      GROUP BY process_name
      ORDER BY process_name
    )
  )
) AS message;
