-- Buckets of the OOM adjuster: changes between them, and time in each.
SELECT run_metric(
  'android/oom_adjuster_views.sql',
  'message', 'AndroidOomAdjusterMetric',
  'since', '-1');

CREATE OR REPLACE PERFETTO VIEW android_oom_adjuster_output AS
SELECT AndroidOomAdjusterMetric(
  'oom_adjuster_transition_counts_by_process', (SELECT list FROM _oom_transitions_of_process),
  'oom_adjuster_transition_counts_global', (SELECT list FROM _oom_transitions),
  'oom_adjuster_transition_counts_by_oom_adj_reason', (
    SELECT list FROM _oom_transitions_of_reason
  ),
  'oom_adj_bucket_duration_agg_global', (SELECT list FROM _oom_time),
  'oom_adj_bucket_duration_agg_by_process', (SELECT list FROM _oom_time_of_process),
  'oom_adj_duration_agg', (SELECT list FROM _oom_adjustments_of_reason)
) AS message;
