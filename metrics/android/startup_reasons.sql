-- Why a launch was slow: _slow_reason has a row for each reason that a launch has, with the messages
-- that show where.
SELECT run_metric('android/startup_states.sql');
INCLUDE PERFETTO MODULE android.process_metadata;

-- What may be a reason: a launch, how much of it there was (ns, a number, or 1), and since when it
-- counts. `share` is a percentage of the launch that it may take.
CREATE OR REPLACE PERFETTO TABLE _reason_kind AS
SELECT
  column1 AS place, column2 AS id, column3 AS reason, column4 AS unit, column5 AS bound,
  column6 AS severity, column7 AS is_listed
FROM (VALUES
  (1, 'NO_BASELINE_OR_CLOUD_PROFILES', 'No baseline or cloud profiles', 'TRUE_OR_FALSE', 0,
    'ERROR', TRUE),
  (2, 'RUN_FROM_APK', 'Optimized artifacts missing, run from apk', 'TRUE_OR_FALSE', 0, 'ERROR',
    TRUE),
  (3, 'UNLOCK_RUNNING', 'Unlock running during launch', 'TRUE_OR_FALSE', 0, 'ERROR', TRUE),
  (4, 'APP_IN_DEBUGGABLE_MODE', 'App in debuggable mode', 'TRUE_OR_FALSE', 0, 'ERROR', TRUE),
  (5, 'GC_ACTIVITY', 'GC Activity', 'TRUE_OR_FALSE', 0, 'WARNING', TRUE),
  (6, 'DEX2OAT_RUNNING', 'dex2oat running during launch', 'PERCENTAGE', 20, 'WARNING', TRUE),
  (7, 'INSTALLD_RUNNING', 'installd running during launch', 'PERCENTAGE', 20, 'WARNING', TRUE),
  (8, 'MAIN_THREAD_TIME_SPENT_IN_RUNNABLE', 'Main Thread - Time spent in Runnable state',
    'PERCENTAGE', 15, 'WARNING', FALSE),
  (9, 'MAIN_THREAD_TIME_SPENT_IN_INTERRUPTIBLE_SLEEP',
    'Main Thread - Time spent in interruptible sleep state', 'NS', 2900000000, 'WARNING', TRUE),
  (10, 'MAIN_THREAD_TIME_SPENT_IN_BLOCKING_IO', 'Main Thread - Time spent in Blocking I/O', 'NS',
    450000000, 'WARNING', TRUE),
  (11, 'MAIN_THREAD_TIME_SPENT_IN_OPEN_DEX_FILES_FROM_OAT',
    'Main Thread - Time spent in OpenDexFilesFromOat*', 'PERCENTAGE', 20, 'WARNING', TRUE),
  (12, 'TIME_SPENT_IN_BIND_APPLICATION', 'Time spent in bindApplication', 'NS', 1250000000,
    'WARNING', TRUE),
  (13, 'TIME_SPENT_IN_VIEW_INFLATION', 'Time spent in view inflation', 'NS', 450000000, 'WARNING',
    TRUE),
  (14, 'TIME_SPENT_IN_RESOURCES_MANAGER_GET_RESOURCES',
    'Time spent in ResourcesManager#getResources', 'NS', 130000000, 'WARNING', TRUE),
  (15, 'TIME_SPENT_VERIFYING_CLASSES', 'Time spent verifying classes', 'PERCENTAGE', 15, 'WARNING',
    TRUE),
  (16, 'POTENTIAL_CPU_CONTENTION_WITH_ANOTHER_PROCESS',
    'Potential CPU contention with another process', 'NS', 100000000, 'WARNING', FALSE),
  (17, 'JIT_ACTIVITY', 'JIT Activity', 'NS', 100000000, 'WARNING', TRUE),
  (18, 'MAIN_THREAD_LOCK_CONTENTION', 'Main Thread - Lock contention', 'PERCENTAGE', 20, 'WARNING',
    TRUE),
  (19, 'MAIN_THREAD_MONITOR_CONTENTION', 'Main Thread - Monitor contention', 'PERCENTAGE', 15,
    'WARNING', TRUE),
  (20, 'JIT_COMPILED_METHODS', 'JIT compiled methods', 'COUNT', 65, 'WARNING', TRUE),
  (21, 'BROADCAST_DISPATCHED_COUNT', 'Broadcast dispatched count', 'COUNT', 15, 'WARNING', TRUE),
  (22, 'BROADCAST_RECEIVED_COUNT', 'Broadcast received count', 'COUNT', 50, 'WARNING', TRUE),
  (23, 'STARTUP_RUNNING_CONCURRENT', 'Startup running concurrent to launch', 'TRUE_OR_FALSE', 0,
    'WARNING', TRUE),
  (24, 'MAIN_THREAD_BINDER_TRANSCATIONS_BLOCKED', 'Main Thread - Binder transactions blocked',
    'TRUE_OR_FALSE', 0, 'WARNING', TRUE)
);

-- Slices that are a reason, or part of one. `counts` says whether one adds to how much there was:
-- some reasons are about the main thread only, but show other threads, too.
CREATE OR REPLACE PERFETTO TABLE _reason_slice AS
WITH named(place, pattern, main_only) AS (
  VALUES
    (11, 'OpenDexFilesFromOat*', TRUE),
    (12, 'bindApplication', TRUE),
    (13, 'inflate', TRUE),
    (14, 'ResourcesManager#getResources', TRUE),
    (15, 'VerifyClass*', TRUE),
    (18, 'Lock contention on*', TRUE),
    (19, 'Lock contention on a monitor*', TRUE),
    (20, 'JIT compiling*', FALSE)
)
SELECT
  n.place, s.startup_id, s.slice_id, s.slice_name AS name, s.slice_ts AS ts, s.slice_dur AS dur,
  s.tid, p.pid, s.is_main_thread OR NOT n.main_only AS counts
FROM named AS n
JOIN android_thread_slices_for_all_startups AS s ON s.slice_name GLOB n.pattern
JOIN thread USING (utid)
JOIN process AS p USING (upid)
UNION ALL
SELECT
  iif(s.slice_name GLOB '*filter=run-from-apk*', 2, 1), s.startup_id, s.slice_id, s.slice_name,
  s.slice_ts, s.slice_dur, s.tid, p.pid, TRUE
FROM android_thread_slices_for_all_startups AS s
JOIN android_startups AS l USING (startup_id)
JOIN thread USING (utid)
JOIN process AS p USING (upid)
WHERE s.slice_name GLOB 'location=* status=* filter=run-from-apk reason=*'
  OR s.slice_name GLOB 'location=*' || l.package || '*.odex status=up-to-date filter=* reason=install-dm'
    AND s.slice_name NOT GLOB '*filter=speed-profile*'
UNION ALL
SELECT 3, l.startup_id, s.id, s.name, s.ts, s.dur, th.tid, p.pid, TRUE
FROM android_startups AS l
JOIN slice AS s ON s.ts BETWEEN l.ts AND l.ts_end
JOIN thread_track AS t ON t.id = s.track_id
JOIN thread AS th USING (utid)
JOIN process AS p USING (upid)
WHERE s.name = 'KeyguardUpdateMonitor#onAuthenticationSucceeded'
  AND p.name = 'com.android.systemui' AND th.is_main_thread
UNION ALL
SELECT
  iif(s.name GLOB 'Broadcast dispatched*', 21, 22), l.startup_id, s.id, s.name, s.ts, s.dur,
  th.tid, p.pid, TRUE
FROM android_startups AS l
JOIN slice AS s ON s.ts BETWEEN l.ts AND l.ts_end
LEFT JOIN thread_track AS t ON t.id = s.track_id
LEFT JOIN thread AS th USING (utid)
LEFT JOIN process AS p USING (upid)
WHERE s.name GLOB 'Broadcast dispatched*' OR s.name GLOB 'broadcastReceiveReg*'
UNION ALL
SELECT 24, s.startup_id, s.slice_id, s.slice_name, s.slice_ts, s.slice_dur, s.tid, p.pid, TRUE
FROM android_thread_slices_for_all_startups AS s
JOIN thread USING (utid)
JOIN process AS p USING (upid)
WHERE s.slice_name = 'binder transaction' AND s.is_main_thread AND s.slice_dur > 20000000;

CREATE OR REPLACE PERFETTO TABLE _reason_state AS
SELECT 8 AS place, startup_id, ts, dur, tid, pid, thread_name FROM _launch_state
WHERE is_main_thread AND state IN ('R', 'R+')
UNION ALL
SELECT 9, startup_id, ts, dur, tid, pid, thread_name FROM _launch_state
WHERE is_main_thread AND state = 'S'
UNION ALL
SELECT 10, startup_id, ts, dur, tid, pid, thread_name FROM _launch_state
WHERE is_main_thread AND state GLOB 'D*' AND io_wait
UNION ALL
SELECT 16, startup_id, ts, dur, tid, pid, thread_name FROM _launch_state
WHERE is_main_thread AND state IN ('R', 'R+')
UNION ALL
SELECT 17, startup_id, ts, dur, tid, pid, thread_name FROM _launch_state
WHERE state = 'Running' AND thread_name GLOB 'Jit thread pool*'
UNION ALL
SELECT iif(name GLOB '*dex2oat*', 6, 7), startup_id, ts, dur, tid, pid, thread_name FROM _launch_run
WHERE name GLOB '*dex2oat*' OR name GLOB '*installd'
UNION ALL
SELECT 5, s.startup_id, s.ts, s.dur, s.tid, s.pid, s.thread_name
FROM _launch_state AS s
WHERE s.state = 'Running' AND EXISTS (
  SELECT 1
  FROM thread_track AS t
  JOIN slice AS g ON g.track_id = t.id
  WHERE t.utid = s.utid AND g.name GLOB '* GC' AND g.ts < s.ts + s.dur AND g.ts + g.dur > s.ts
);

CREATE OR REPLACE PERFETTO TABLE _reason_amount AS
SELECT startup_id, place, sum(iif(counts, dur, 0)) AS total, sum(counts) AS number
FROM _reason_slice
GROUP BY startup_id, place
UNION ALL
SELECT startup_id, place, sum(dur), count(*) FROM _reason_state GROUP BY startup_id, place
UNION ALL
SELECT DISTINCT s.startup_id, 4, 1, 1
FROM android_startup_processes AS s
JOIN android_process_metadata AS m USING (upid)
WHERE m.debuggable
UNION ALL
SELECT DISTINCT a.startup_id, 23, 1, 1
FROM android_startups AS a
JOIN android_startups AS b
  ON b.startup_id != a.startup_id AND b.ts < a.ts_end AND b.ts_end > a.ts;

-- The longest three show where.
CREATE OR REPLACE PERFETTO VIEW _reason_slice_section AS
SELECT
  startup_id,
  place,
  AndroidStartupMetric_TraceSliceSectionInfo(
    'slice_section', RepeatedField(AndroidStartupMetric_TraceSliceSection(
      'thread_tid', tid,
      'process_pid', pid,
      'start_timestamp', ts,
      'end_timestamp', ts + dur,
      'slice_id', slice_id,
      'slice_name', name)),
    'start_timestamp', min(ts),
    'end_timestamp', max(ts + dur)) AS message
FROM (
  SELECT *, row_number() OVER (PARTITION BY startup_id, place ORDER BY dur DESC, ts) AS number
  FROM _reason_slice
  ORDER BY startup_id, place, number
)
WHERE number <= 3
GROUP BY startup_id, place;

CREATE OR REPLACE PERFETTO VIEW _reason_thread_section AS
SELECT
  startup_id,
  place,
  AndroidStartupMetric_TraceThreadSectionInfo(
    'start_timestamp', min(ts),
    'end_timestamp', max(ts + dur),
    'thread_section', RepeatedField(AndroidStartupMetric_TraceThreadSection(
      'start_timestamp', ts,
      'end_timestamp', ts + dur,
      'thread_tid', tid,
      'process_pid', pid,
      'thread_name', thread_name))) AS message
FROM (
  SELECT *, row_number() OVER (PARTITION BY startup_id, place ORDER BY dur DESC, ts) AS number
  FROM _reason_state
  ORDER BY startup_id, place, number
)
WHERE number <= 3
GROUP BY startup_id, place;

CREATE OR REPLACE PERFETTO TABLE _slow_reason AS
SELECT
  startup_id, place, id, reason, unit, bound, severity, is_listed, launch_dur,
  iif(unit = 'PERCENTAGE', total, NULL) AS dur,
  amount
FROM (
  SELECT
    k.*,
    a.startup_id,
    a.total,
    l.dur AS launch_dur,
    CASE k.unit
      WHEN 'TRUE_OR_FALSE' THEN iif(a.number > 0, 1, 0)
      WHEN 'COUNT' THEN a.number
      WHEN 'PERCENTAGE' THEN a.total * 100 / l.dur
      ELSE a.total
    END AS amount,
    iif(k.unit = 'PERCENTAGE', a.total * 100.0 / l.dur, NULL) AS share
  FROM _reason_amount AS a
  JOIN _reason_kind AS k USING (place)
  JOIN android_startups AS l USING (startup_id)
)
WHERE ifnull(share, amount) > bound;
