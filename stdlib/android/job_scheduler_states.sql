-- Jobs that the system ran for apps, as statsd reports them (atom ScheduledJobStateChanged).

INCLUDE PERFETTO MODULE android.battery.charging_states;
INCLUDE PERFETTO MODULE android.screen_state;
INCLUDE PERFETTO MODULE android.statsd;
INCLUDE PERFETTO MODULE intervals.intersect;

CREATE PERFETTO MACRO _job_arg(field Expr) RETURNS Expr AS
extract_arg(arg_set_id, 'scheduled_job_state_changed.' || $field);

-- Each change of a job's state with the job's next one.
CREATE PERFETTO TABLE _job_changes AS
SELECT *, lead(ts) OVER by_job AS next_ts, lead(state) OVER by_job AS next_state,
  lead(internal_stop_reason) OVER by_job AS next_internal_reason,
  lead(public_stop_reason) OVER by_job AS next_public_reason
FROM (
  SELECT id AS slice_id, ts, arg_set_id, _job_arg!('job_name') AS job_name,
    _job_arg!('job_id') AS job_id, _job_arg!('state') AS state,
    _job_arg!('internal_stop_reason') AS internal_stop_reason,
    _job_arg!('public_stop_reason') AS public_stop_reason
  FROM android_statsd_atoms
  WHERE name = 'scheduled_job_state_changed'
)
WHERE state <> 'CANCELLED'
WINDOW by_job AS (PARTITION BY job_name, job_id ORDER BY ts);

-- One row per run of a job. From a job's start until it is finished or scheduled again. Names are
-- "@NAMESPACE@PACKAGE/CLASS", "@NAMESPACE@TAG:PACKAGE" or "TAG:PACKAGE".
CREATE PERFETTO TABLE android_job_scheduler_states(
  -- Number of the run in order of time, from 1 on.
  id ID,
  -- When the run began.
  ts TIMESTAMP,
  -- How long the run lasted.
  dur DURATION,
  -- The atom that reported the start of the run.
  slice_id JOINID(slice.id),
  -- Name of the job as reported.
  job_name STRING,
  -- Uid of the app that owns the job.
  uid LONG,
  -- The app's number of the job.
  job_id LONG,
  -- Package of the app, from the name.
  package_name STRING,
  -- Namespace of the job, from the name; without one what follows the package.
  job_namespace STRING,
  -- Priority that the job ran with.
  effective_priority LONG,
  -- The job had to wait until the battery is not low.
  has_battery_not_low_constraint BOOL,
  -- The job had to wait until the device is charging.
  has_charging_constraint BOOL,
  -- The job had to wait for a network.
  has_connectivity_constraint BOOL,
  -- The job had to wait for a change of content.
  has_content_trigger_constraint BOOL,
  -- The job had a time by which to run.
  has_deadline_constraint BOOL,
  -- The job had to wait until the device is idle.
  has_idle_constraint BOOL,
  -- The job had to wait until storage is not low.
  has_storage_not_low_constraint BOOL,
  -- The job had a time before which not to run.
  has_timing_delay_constraint BOOL,
  -- The job fetches what the user may want next.
  is_prefetch BOOL,
  -- The job was asked for as expedited.
  is_requested_expedited_job BOOL,
  -- The job ran as expedited.
  is_running_as_expedited_job BOOL,
  -- How often the job had been tried before: a number, in spite of the declared type.
  num_previous_attempts TIMESTAMP,
  -- Priority that the job was asked for with.
  requested_priority LONG,
  -- Standby bucket of the app.
  standby_bucket STRING,
  -- The job is run again and again.
  is_periodic BOOL,
  -- As is_periodic, in spite of the name.
  has_flex_constraint BOOL,
  -- The job was asked for as initiated by the user.
  is_requested_as_user_initiated_job BOOL,
  -- The job ran as initiated by the user.
  is_running_as_user_initiated_job BOOL,
  -- The time by which to run in ms.
  deadline_ms LONG,
  -- Time from scheduling to start in ms.
  job_start_latency_ms LONG,
  -- How many of the job's work items were left.
  num_uncompleted_work_items LONG,
  -- State of the process that owns the job.
  proc_state STRING,
  -- Why the job stopped, by the system's own names.
  internal_stop_reason STRING,
  -- Why the job stopped, as the app is told.
  public_stop_reason STRING
) AS
SELECT row_number() OVER (ORDER BY ts) AS id, ts, next_ts - ts AS dur, slice_id, job_name,
  coalesce(_job_arg!('uid'), _job_arg!('attribution_node[0].uid')) AS uid, job_id,
  CASE
    WHEN job_name NOT GLOB '@*' THEN str_split(job_name, '/', 0)
    WHEN str_split(job_name, '/', 1) GLOB 'com*' THEN str_split(job_name, '/', 1)
    ELSE str_split(str_split(job_name, '/', 0), '@', 2)
  END AS package_name,
  iif(job_name GLOB '@*', str_split(job_name, '@', 1), str_split(job_name, '/', 1))
    AS job_namespace,
  _job_arg!('effective_priority') AS effective_priority,
  _job_arg!('has_battery_not_low_constraint') AS has_battery_not_low_constraint,
  _job_arg!('has_charging_constraint') AS has_charging_constraint,
  _job_arg!('has_connectivity_constraint') AS has_connectivity_constraint,
  _job_arg!('has_content_trigger_constraint') AS has_content_trigger_constraint,
  _job_arg!('has_deadline_constraint') AS has_deadline_constraint,
  _job_arg!('has_idle_constraint') AS has_idle_constraint,
  _job_arg!('has_storage_not_low_constraint') AS has_storage_not_low_constraint,
  _job_arg!('has_timing_delay_constraint') AS has_timing_delay_constraint,
  coalesce(_job_arg!('is_prefetch') = 1, FALSE) AS is_prefetch,
  _job_arg!('is_requested_expedited_job') AS is_requested_expedited_job,
  _job_arg!('is_running_as_expedited_job') AS is_running_as_expedited_job,
  _job_arg!('num_previous_attempts') AS num_previous_attempts,
  _job_arg!('requested_priority') AS requested_priority,
  _job_arg!('standby_bucket') AS standby_bucket,
  _job_arg!('is_periodic') AS is_periodic,
  _job_arg!('is_periodic') AS has_flex_constraint,
  _job_arg!('is_requested_as_user_initiated_job') AS is_requested_as_user_initiated_job,
  _job_arg!('is_running_as_user_initiated_job') AS is_running_as_user_initiated_job,
  _job_arg!('deadline_ms') AS deadline_ms,
  _job_arg!('job_start_latency_ms') AS job_start_latency_ms,
  _job_arg!('num_uncompleted_work_items') AS num_uncompleted_work_items,
  _job_arg!('proc_state') AS proc_state,
  coalesce(next_internal_reason, 'INTERNAL_STOP_REASON_UNKNOWN') AS internal_stop_reason,
  coalesce(next_public_reason, 'PUBLIC_STOP_REASON_UNKNOWN') AS public_stop_reason
FROM _job_changes
WHERE state = 'STARTED' AND next_state IN ('FINISHED', 'SCHEDULED') AND next_ts > ts;

-- Runs of jobs, cut where the screen's or the charger's state changes.
CREATE PERFETTO TABLE android_job_scheduler_with_screen_charging_states(
  -- When the part began.
  ts TIMESTAMP,
  -- How long the part lasted.
  dur DURATION,
  -- The atom that reported the start of the run.
  slice_id JOINID(slice.id),
  -- Name of the job as reported, and `_` and its number.
  job_name STRING,
  -- The app's number of the job.
  job_id LONG,
  -- Uid of the app that owns the job.
  uid LONG,
  -- How long the whole run lasted.
  job_dur DURATION,
  -- Package of the app, from the name.
  package_name STRING,
  -- Namespace of the job, from the name; without one what follows the package.
  job_namespace STRING,
  -- As in android_charging_states.charging_state.
  charging_state STRING,
  -- As in android_screen_state.screen_state.
  screen_state STRING,
  -- Priority that the job ran with.
  effective_priority LONG,
  -- The job had to wait until the battery is not low.
  has_battery_not_low_constraint BOOL,
  -- The job had to wait until the device is charging.
  has_charging_constraint BOOL,
  -- The job had to wait for a network.
  has_connectivity_constraint BOOL,
  -- The job had to wait for a change of content.
  has_content_trigger_constraint BOOL,
  -- The job had a time by which to run.
  has_deadline_constraint BOOL,
  -- The job had to wait until the device is idle.
  has_idle_constraint BOOL,
  -- The job had to wait until storage is not low.
  has_storage_not_low_constraint BOOL,
  -- The job had a time before which not to run.
  has_timing_delay_constraint BOOL,
  -- The job fetches what the user may want next.
  is_prefetch BOOL,
  -- The job was asked for as expedited.
  is_requested_expedited_job BOOL,
  -- The job ran as expedited.
  is_running_as_expedited_job BOOL,
  -- How often the job had been tried before: a number, in spite of the declared type.
  num_previous_attempts TIMESTAMP,
  -- Priority that the job was asked for with.
  requested_priority LONG,
  -- Standby bucket of the app.
  standby_bucket STRING,
  -- The job is run again and again.
  is_periodic BOOL,
  -- As is_periodic, in spite of the name.
  has_flex_constraint BOOL,
  -- The job was asked for as initiated by the user.
  is_requested_as_user_initiated_job BOOL,
  -- The job ran as initiated by the user.
  is_running_as_user_initiated_job BOOL,
  -- The time by which to run in ms.
  deadline_ms LONG,
  -- Time from scheduling to start in ms.
  job_start_latency_ms LONG,
  -- How many of the job's work items were left.
  num_uncompleted_work_items LONG,
  -- State of the process that owns the job.
  proc_state STRING,
  -- Why the job stopped, by the system's own names.
  internal_stop_reason STRING,
  -- Why the job stopped, as the app is told.
  public_stop_reason STRING
) AS
SELECT i.ts, i.dur, j.slice_id, j.job_name || '_' || j.job_id AS job_name, j.job_id, j.uid,
  j.dur AS job_dur, j.package_name, j.job_namespace, c.charging_state, s.screen_state,
  j.effective_priority, j.has_battery_not_low_constraint, j.has_charging_constraint,
  j.has_connectivity_constraint, j.has_content_trigger_constraint, j.has_deadline_constraint,
  j.has_idle_constraint, j.has_storage_not_low_constraint, j.has_timing_delay_constraint,
  j.is_prefetch, j.is_requested_expedited_job, j.is_running_as_expedited_job,
  j.num_previous_attempts, j.requested_priority, j.standby_bucket, j.is_periodic,
  j.has_flex_constraint, j.is_requested_as_user_initiated_job, j.is_running_as_user_initiated_job,
  j.deadline_ms, j.job_start_latency_ms, j.num_uncompleted_work_items, j.proc_state,
  j.internal_stop_reason, j.public_stop_reason
FROM _interval_intersect!((
  android_job_scheduler_states, android_charging_states, android_screen_state
), ()) AS i
JOIN android_job_scheduler_states AS j ON j.id = i.id_0
JOIN android_charging_states AS c ON c.id = i.id_1
JOIN android_screen_state AS s ON s.id = i.id_2;
