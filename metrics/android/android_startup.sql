-- Launches of apps: what took how long, what the system did meanwhile, and why they were slow.
INCLUDE PERFETTO MODULE android.startup.startups;
INCLUDE PERFETTO MODULE android.startup.time_to_display;
INCLUDE PERFETTO MODULE linux.cpu.utilization.thread_cpu;
INCLUDE PERFETTO MODULE linux.cpu.utilization.process;
SELECT run_metric('android/process_metadata.sql');
SELECT run_metric('android/core_types.sql');
SELECT run_metric('android/startup_reasons.sql');
SELECT run_metric('android/startup_content.sql');

CREATE OR REPLACE PERFETTO FUNCTION _startup_slice(dur LONG)
RETURNS BYTES AS
SELECT AndroidStartupMetric_Slice('dur_ns', $dur, 'dur_ms', $dur / 1e6) WHERE $dur IS NOT NULL;

-- Time in slices of a name, and that of the main thread.
CREATE OR REPLACE PERFETTO FUNCTION _slice_time(startup_id LONG, pattern STRING)
RETURNS BYTES AS
SELECT _startup_slice(android_sum_dur_for_startup_and_slice($startup_id, $pattern));

CREATE OR REPLACE PERFETTO FUNCTION _main_time(startup_id LONG, pattern STRING)
RETURNS BYTES AS
SELECT _startup_slice(
  android_sum_dur_on_main_thread_for_startup_and_slice($startup_id, $pattern));

CREATE OR REPLACE PERFETTO FUNCTION _time_until(startup_id LONG, pattern STRING)
RETURNS BYTES AS
SELECT _startup_slice(min(slice_ts) - min(startup_ts))
FROM android_thread_slices_for_all_startups
WHERE startup_id = $startup_id AND is_main_thread AND slice_name GLOB $pattern;

-- Launches, with the process that each is about, if any is known, and the request that began it.
CREATE OR REPLACE PERFETTO TABLE _launch AS
SELECT
  l.startup_id, l.ts, l.ts_end, l.dur, l.package, p.startup_type, p.upid,
  ifnull(p.number, 0) AS number, pr.name,
  (
    SELECT min(s.ts) FROM slice AS s
    WHERE s.name = 'Start proc: ' || l.package AND s.ts > l.ts AND s.ts + s.dur < l.ts_end
  ) AS start_ts
FROM android_startups AS l
LEFT JOIN (
  SELECT startup_id, min(upid) AS upid, startup_type, count(*) AS number
  FROM android_startup_processes
  GROUP BY startup_id
) AS p USING (startup_id)
LEFT JOIN process AS pr USING (upid);

CREATE OR REPLACE PERFETTO VIEW _launch_states AS
SELECT
  l.startup_id,
  AndroidStartupMetric_TaskStateBreakdown(
    'running_dur_ns', ifnull(sum(s.dur) FILTER (WHERE s.state = 'Running'), 0),
    'runnable_dur_ns', ifnull(sum(s.dur) FILTER (WHERE s.state IN ('R', 'R+')), 0),
    'uninterruptible_sleep_dur_ns', ifnull(sum(s.dur) FILTER (WHERE s.state GLOB 'D*'), 0),
    'interruptible_sleep_dur_ns', ifnull(sum(s.dur) FILTER (WHERE s.state = 'S'), 0),
    'uninterruptible_io_sleep_dur_ns',
    ifnull(sum(s.dur) FILTER (WHERE s.state GLOB 'D*' AND s.io_wait), 0),
    'uninterruptible_non_io_sleep_dur_ns',
    ifnull(sum(s.dur) FILTER (WHERE s.state GLOB 'D*' AND NOT s.io_wait), 0)) AS message
FROM _launch AS l
LEFT JOIN _launch_state AS s ON s.startup_id = l.startup_id AND s.is_main_thread
GROUP BY l.startup_id;

CREATE OR REPLACE PERFETTO TABLE _launch_cycles AS
SELECT l.startup_id, t.type, CAST(sum(c.millicycles) / 1000000000 AS INT) AS mcycles
FROM _launch AS l
JOIN cpu_cycles_per_thread_per_cpu_in_interval(l.ts, l.dur) AS c
JOIN thread AS th USING (utid)
JOIN _core_type AS t USING (ucpu)
WHERE NOT th.is_idle AND c.millicycles IS NOT NULL
GROUP BY l.startup_id, t.type;

CREATE OR REPLACE PERFETTO FUNCTION _cycles_of(startup_id LONG, type STRING)
RETURNS LONG AS
SELECT mcycles FROM _launch_cycles WHERE startup_id = $startup_id AND type = $type;

CREATE OR REPLACE PERFETTO FUNCTION _thread_run_time(startup_id LONG, pattern STRING)
RETURNS BYTES AS
SELECT _startup_slice(sum(dur)) FROM _launch_state
WHERE startup_id = $startup_id AND state = 'Running' AND thread_name GLOB $pattern;

-- Collections by any of the app's threads, and how much of them threads ran.
CREATE OR REPLACE PERFETTO TABLE _launch_collection AS
SELECT startup_id, utid, slice_ts AS ts, slice_dur AS dur
FROM android_thread_slices_for_all_startups
WHERE slice_name GLOB '* GC' AND slice_dur >= 0;

CREATE OR REPLACE PERFETTO FUNCTION _collection_run_time(startup_id LONG)
RETURNS LONG AS
SELECT sum(min(s.ts + s.dur, g.ts + g.dur) - max(s.ts, g.ts))
FROM _launch_collection AS g
JOIN _launch_state AS s
  ON s.startup_id = g.startup_id AND s.utid = g.utid AND s.state = 'Running'
  AND s.ts < g.ts + g.dur AND s.ts + s.dur > g.ts
WHERE g.startup_id = $startup_id;

CREATE OR REPLACE PERFETTO VIEW _to_first_frame AS
SELECT
  l.startup_id,
  AndroidStartupMetric_ToFirstFrame(
    'dur_ns', l.dur,
    'dur_ms', l.dur / 1e6,
    'main_thread_by_task_state', (
      SELECT message FROM _launch_states AS s WHERE s.startup_id = l.startup_id
    ),
    'mcycles_by_core_type', null_if_empty(AndroidStartupMetric_McyclesByCoreType(
      'little', _cycles_of(l.startup_id, 'little'),
      'big', _cycles_of(l.startup_id, 'big'),
      'bigger', _cycles_of(l.startup_id, 'bigger'),
      'unknown', _cycles_of(l.startup_id, 'unknown'))),
    'to_post_fork', _time_until(l.startup_id, 'PostFork'),
    'to_activity_thread_main', _time_until(l.startup_id, 'ActivityThreadMain'),
    'to_bind_application', _time_until(l.startup_id, 'bindApplication'),
    'time_activity_manager', (
      SELECT _startup_slice(nullif(min(s.ts) - l.ts, 0)) FROM slice AS s
      WHERE s.name = 'launching: ' || l.package AND s.ts BETWEEN l.ts AND l.ts_end
    ),
    'time_post_fork', _slice_time(l.startup_id, 'PostFork'),
    'time_activity_thread_main', _slice_time(l.startup_id, 'ActivityThreadMain'),
    'time_bind_application', _slice_time(l.startup_id, 'bindApplication'),
    'time_activity_start', _slice_time(l.startup_id, 'activityStart'),
    'time_activity_resume', _slice_time(l.startup_id, 'activityResume'),
    'time_activity_restart', _slice_time(l.startup_id, 'activityRestart'),
    'time_choreographer', _slice_time(l.startup_id, 'Choreographer#doFrame*'),
    'time_inflate', _slice_time(l.startup_id, 'inflate'),
    'time_get_resources', _slice_time(l.startup_id, 'ResourcesManager#getResources'),
    'time_class_initialization', (
      SELECT _startup_slice(sum(c.slice_dur)) FROM android_class_loading_for_startup AS c
      WHERE c.startup_id = l.startup_id
    ),
    'time_dex_open', _slice_time(l.startup_id, 'OpenDexFilesFromOat*'),
    'time_verify_class', _slice_time(l.startup_id, 'VerifyClass*'),
    'jit_compiled_methods', (
      SELECT nullif(count(*), 0) FROM android_thread_slices_for_all_startups AS s
      WHERE s.startup_id = l.startup_id AND s.slice_name GLOB 'JIT compiling*'
        AND s.thread_name = 'Jit thread pool'
    ),
    'class_initialization_count', (
      SELECT nullif(count(*), 0) FROM android_class_loading_for_startup AS c
      WHERE c.startup_id = l.startup_id
    ),
    'time_before_start_process', _startup_slice(l.start_ts - l.ts),
    'time_to_running_state', (
      SELECT _startup_slice(min(s.ts) - l.ts) FROM _launch_state AS s
      WHERE s.startup_id = l.startup_id AND s.state = 'Running'
    ),
    'time_jit_thread_pool_on_cpu', _thread_run_time(l.startup_id, 'Jit thread pool'),
    'time_gc_total', (
      SELECT _startup_slice(sum(dur)) FROM _launch_collection AS g
      WHERE g.startup_id = l.startup_id
    ),
    'time_gc_on_cpu', _startup_slice(_collection_run_time(l.startup_id)),
    'time_lock_contention_thread_main', _main_time(l.startup_id, 'Lock contention on*'),
    'time_monitor_contention_thread_main', _main_time(l.startup_id, 'Lock contention on a monitor*'),
    'time_dex_open_thread_main', _main_time(l.startup_id, 'OpenDexFilesFromOat*'),
    'time_dlopen_thread_main', _main_time(l.startup_id, 'dlopen:*'),
    'time_during_start_process', (
      SELECT _startup_slice(s.dur) FROM slice AS s
      WHERE s.name = 'Start proc: ' || l.package AND s.ts = l.start_ts
    ),
    'other_processes_spawned_count', (
      SELECT count(*) FROM process AS p
      WHERE p.start_ts BETWEEN l.ts AND l.ts_end
        AND p.upid NOT IN (
          SELECT upid FROM android_startup_processes AS own WHERE own.startup_id = l.startup_id
        )
    )) AS message
FROM _launch AS l;

-- location=FILE status=STATUS filter=FILTER reason=REASON
CREATE OR REPLACE PERFETTO TABLE _odex AS
SELECT DISTINCT
  startup_id,
  regexp_extract(slice_name, 'location=([^ ]*)') AS location,
  regexp_extract(slice_name, ' status=([^ ]*)') AS status,
  regexp_extract(slice_name, ' filter=([^ ]*)') AS filter,
  regexp_extract(slice_name, ' reason=([^ ]*)') AS reason
FROM android_thread_slices_for_all_startups
WHERE slice_name GLOB 'location=* status=* filter=* reason=*';

CREATE OR REPLACE PERFETTO FUNCTION _optimization(startup_id LONG)
RETURNS BYTES AS
SELECT RepeatedField(AndroidStartupMetric_OptimizationStatus(
  'location', location,
  'odex_status', status,
  'compilation_filter', filter,
  'compilation_reason', reason,
  'summary', ifnull(regexp_extract(location, '([^/]*)$'), location) || ': ' || status || '/'
    || filter || '/' || reason))
FROM (SELECT * FROM _odex WHERE startup_id = $startup_id ORDER BY location);

CREATE OR REPLACE PERFETTO FUNCTION _activities(startup_id LONG)
RETURNS BYTES AS
SELECT RepeatedField(AndroidStartupMetric_Activity(
  'name', str_split(slice_name, ':', 1),
  'method', str_split(slice_name, ':', 0),
  'ts_method_start', slice_ts))
FROM (
  SELECT * FROM android_thread_slices_for_all_startups
  WHERE startup_id = $startup_id AND is_main_thread
    AND (slice_name GLOB 'performCreate:*' OR slice_name GLOB 'performResume:*')
  ORDER BY slice_ts
);

CREATE OR REPLACE PERFETTO FUNCTION _long_calls(startup_id LONG)
RETURNS BYTES AS
SELECT RepeatedField(AndroidStartupMetric_BinderTransaction(
  'duration', _startup_slice(slice_dur),
  'thread', thread_name,
  'destination_thread', extract_arg(arg_set_id, 'destination name'),
  'destination_process', process,
  'flags', extract_arg(arg_set_id, 'flags'),
  'code', extract_arg(arg_set_id, 'code'),
  'data_size', extract_arg(arg_set_id, 'data_size')))
FROM (
  SELECT call.*
  FROM android_binder_transaction_slices_for_startup($startup_id, 2e7) AS call
  JOIN thread_slice AS s ON s.id = call.id
  ORDER BY s.utid, s.id
);

-- Where frequencies are not known all are the same, and the oldest processes come first. While two
-- launches overlap, time belongs to the one that began first.
CREATE OR REPLACE PERFETTO TABLE _launch_own AS
SELECT
  startup_id,
  own_ts AS ts,
  ts_end - own_ts AS dur
FROM (
  SELECT
    startup_id,
    ts_end,
    max(ts, ifnull(max(ts_end) OVER (
      ORDER BY ts ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
    ), ts)) AS own_ts
  FROM android_startups
)
WHERE own_ts < ts_end;

CREATE OR REPLACE PERFETTO FUNCTION _busy_processes(startup_id LONG)
RETURNS BYTES AS
SELECT RepeatedField(name)
FROM (
  SELECT r.name
  FROM (
    SELECT DISTINCT o.ts, o.dur, r.upid, r.name
    FROM _launch_own AS o
    JOIN _launch_run AS r USING (startup_id)
    WHERE o.startup_id = $startup_id AND r.name IS NOT NULL AND r.ts + r.dur > o.ts
  ) AS r
  LEFT JOIN cpu_cycles_per_process_in_interval(r.ts, r.dur) AS c ON c.upid = r.upid
  ORDER BY c.millicycles DESC, r.upid
  LIMIT 5
);

CREATE OR REPLACE PERFETTO FUNCTION _run_time_of(startup_id LONG, reason LONG)
RETURNS LONG AS
SELECT ifnull(sum(dur), 0) FROM _service_run WHERE startup_id = $startup_id AND place = $reason;

CREATE OR REPLACE PERFETTO FUNCTION _slices_during(ts LONG, ts_end LONG, pattern STRING)
RETURNS LONG AS
SELECT count(*) FROM slice WHERE name GLOB $pattern AND ts BETWEEN $ts AND $ts_end;

CREATE OR REPLACE PERFETTO FUNCTION _system_state(startup_id LONG, ts LONG, ts_end LONG)
RETURNS BYTES AS
SELECT AndroidStartupMetric_SystemState(
  'dex2oat_running', _run_time_of($startup_id, 6) > 0,
  'installd_running', _run_time_of($startup_id, 7) > 0,
  'broadcast_dispatched_count', _slices_during($ts, $ts_end, 'Broadcast dispatched*'),
  'broadcast_received_count', _slices_during($ts, $ts_end, 'broadcastReceiveReg*'),
  'most_active_non_launch_processes', _busy_processes($startup_id),
  'installd_dur_ns', _run_time_of($startup_id, 7),
  'dex2oat_dur_ns', _run_time_of($startup_id, 6));

CREATE OR REPLACE PERFETTO FUNCTION _reason_names(startup_id LONG)
RETURNS BYTES AS
SELECT RepeatedField(reason)
FROM (
  SELECT reason FROM _slow_reason WHERE startup_id = $startup_id AND is_listed ORDER BY place
);

CREATE OR REPLACE PERFETTO FUNCTION _reasons(startup_id LONG)
RETURNS BYTES AS
SELECT RepeatedField(AndroidStartupMetric_SlowStartReason(
  'reason_id', r.id,
  'reason', r.reason,
  'severity', r.severity,
  'launch_dur', r.launch_dur,
  'expected_value', AndroidStartupMetric_ThresholdValue(
    'value', r.bound,
    'unit', r.unit,
    'higher_expected', iif(r.unit = 'TRUE_OR_FALSE', NULL, FALSE)),
  'actual_value', AndroidStartupMetric_ActualValue('value', r.amount, 'dur', r.dur),
  'trace_slice_sections', (
    SELECT message FROM _reason_slice_section AS s
    WHERE s.startup_id = r.startup_id AND s.place = r.place
  ),
  'trace_thread_sections', (
    SELECT message FROM _reason_thread_section AS t
    WHERE t.startup_id = r.startup_id AND t.place = r.place
  ),
  'additional_info', (
    SELECT info FROM _reason_info AS i
    WHERE i.startup_id = r.startup_id AND i.place = r.place
  )))
FROM (SELECT * FROM _slow_reason WHERE startup_id = $startup_id ORDER BY place) AS r;

CREATE OR REPLACE PERFETTO VIEW android_startup_output AS
SELECT AndroidStartupMetric(
  'startup', (
    SELECT RepeatedField(AndroidStartupMetric_Startup(
      'startup_id', l.startup_id,
      'startup_type', l.startup_type,
      'cpu_count', (SELECT count(DISTINCT ucpu) FROM sched),
      'package_name', l.package,
      'process_name', l.name,
      'process', process_metadata_proto(l.upid),
      'activities', _activities(l.startup_id),
      'long_binder_transactions', _long_calls(l.startup_id),
      'zygote_new_process', l.start_ts IS NOT NULL,
      'activity_hosting_process_count', l.number,
      'time_to_initial_display', d.time_to_initial_display,
      'time_to_full_display', d.time_to_full_display,
      'event_timestamps', AndroidStartupMetric_EventTimestamps(
        'intent_received', l.ts, 'first_frame', l.ts_end),
      'to_first_frame', (
        SELECT message FROM _to_first_frame AS f WHERE f.startup_id = l.startup_id
      ),
      'hsc', null_if_empty(AndroidStartupMetric_HscMetrics(
        'full_startup', (
          SELECT _startup_slice(c.dur) FROM _content_shown AS c WHERE c.startup_id = l.startup_id
        )
      )),
      'report_fully_drawn', (
        SELECT _startup_slice(min(s.ts) - l.ts)
        FROM slice AS s
        JOIN thread_track AS t ON t.id = s.track_id
        JOIN thread USING (utid)
        JOIN android_startup_processes AS own USING (upid)
        WHERE own.startup_id = l.startup_id AND s.name GLOB 'reportFullyDrawn*' AND s.ts >= l.ts
      ),
      'optimization_status', _optimization(l.startup_id),
      'verify_class', (
        SELECT RepeatedField(AndroidStartupMetric_VerifyClass(
          'name', str_split(slice_name, 'VerifyClass ', 1), 'dur_ns', slice_dur))
        FROM (
          SELECT * FROM android_thread_slices_for_all_startups AS v
          WHERE v.startup_id = l.startup_id AND v.slice_name GLOB 'VerifyClass*'
          ORDER BY slice_dur DESC
          LIMIT 5
        )
      ),
      'dlopen_file', (
        SELECT RepeatedField(str_split(slice_name, 'dlopen: ', 1))
        FROM android_thread_slices_for_all_startups AS o
        WHERE o.startup_id = l.startup_id AND o.slice_name GLOB 'dlopen: *'
      ),
      'startup_concurrent_to_launch', (
        SELECT RepeatedField(o.package) FROM android_startups AS o
        WHERE o.startup_id != l.startup_id AND o.ts < l.ts_end AND o.ts_end > l.ts
      ),
      'system_state', _system_state(l.startup_id, l.ts, l.ts_end),
      'slow_start_reason', _reason_names(l.startup_id),
      'slow_start_reason_with_details', _reasons(l.startup_id)))
    FROM _launch AS l
    LEFT JOIN android_startup_time_to_display AS d USING (startup_id)
  )
) AS message;
