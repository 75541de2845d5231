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
  (5, 'GC_ACTIVITY', 'GC Activity', 'TRUE_OR_FALSE', 0, 'ERROR', TRUE),
  (6, 'DEX2OAT_RUNNING', 'dex2oat running during launch', 'TRUE_OR_FALSE', 0, 'WARNING', TRUE),
  (7, 'INSTALLD_RUNNING', 'installd running during launch', 'TRUE_OR_FALSE', 0, 'ERROR', TRUE),
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
    'ERROR', TRUE),
  (24, 'MAIN_THREAD_BINDER_TRANSCATIONS_BLOCKED', 'Main Thread - Binder transactions blocked',
    'TRUE_OR_FALSE', 0, 'WARNING', TRUE)
);

-- What others do meanwhile is told with the pid of the app that is launched.
CREATE OR REPLACE PERFETTO VIEW _launched_process AS
SELECT startup_id, min(pid) AS pid FROM android_startup_processes GROUP BY startup_id;

-- Slices that are a reason, or part of one. `counts` says whether one adds to how much there was:
-- some reasons are about one thread only, but show other threads, too. Of what is either so or not,
-- one slice is enough to show. Equally long ones follow each other by thread, then by time.
CREATE OR REPLACE PERFETTO TABLE _reason_slice AS
WITH named(place, pattern, main_only, shown) AS (
  VALUES
    (5, '* GC', FALSE, 1),
    (11, 'OpenDexFilesFromOat*', TRUE, 3),
    (12, 'bindApplication', FALSE, 3),
    (13, 'inflate', FALSE, 3),
    (14, 'ResourcesManager#getResources', FALSE, 3),
    (15, 'VerifyClass*', FALSE, 3),
    (18, 'Lock contention on*', TRUE, 3),
    (19, 'Lock contention on a monitor*', TRUE, 3)
)
SELECT
  n.place, s.startup_id, s.slice_id, s.slice_name AS name, s.slice_ts AS ts, s.slice_dur AS dur,
  s.tid, p.pid, s.is_main_thread OR NOT n.main_only AS counts, n.shown,
  s.utid
FROM named AS n
JOIN android_thread_slices_for_all_startups AS s ON s.slice_name GLOB n.pattern
JOIN thread USING (utid)
JOIN process AS p USING (upid)
UNION ALL
SELECT
  20, s.startup_id, s.slice_id, s.slice_name, s.slice_ts, s.slice_dur, s.tid, p.pid,
  ifnull(s.thread_name = 'Jit thread pool', FALSE), 3, s.utid
FROM android_thread_slices_for_all_startups AS s
JOIN thread USING (utid)
JOIN process AS p USING (upid)
WHERE s.slice_name GLOB 'JIT compiling*'
UNION ALL
SELECT
  2, s.startup_id, s.slice_id, s.slice_name, s.slice_ts, s.slice_dur, s.tid, p.pid, TRUE,
  s.is_main_thread, s.utid
FROM android_thread_slices_for_all_startups AS s
JOIN thread USING (utid)
JOIN process AS p USING (upid)
WHERE s.slice_name GLOB 'location=* status=* filter=*run-from-apk* reason=*'
UNION ALL
-- What an installation compiled without a profile.
SELECT
  1, s.startup_id, s.slice_id, s.slice_name, s.slice_ts, s.slice_dur, s.tid, p.pid,
  s.slice_name NOT GLOB '* filter=speed-profile reason=*', 1, s.utid
FROM android_thread_slices_for_all_startups AS s
JOIN android_startups AS l USING (startup_id)
JOIN thread USING (utid)
JOIN process AS p USING (upid)
WHERE s.slice_name GLOB 'location=*' || l.package || '*odex status=* filter=* reason=install'
  OR s.slice_name GLOB 'location=*' || l.package || '*odex status=* filter=* reason=install-dm'
UNION ALL
SELECT 3, l.startup_id, s.id, s.name, s.ts, s.dur, th.tid, own.pid, TRUE, 1, 0
FROM android_startups AS l
LEFT JOIN _launched_process AS own USING (startup_id)
JOIN slice AS s ON s.ts >= l.ts AND s.ts + s.dur <= l.ts_end
JOIN thread_track AS t ON t.id = s.track_id
JOIN thread AS th USING (utid)
JOIN process AS p USING (upid)
WHERE s.name = 'KeyguardUpdateMonitor#onAuthenticationSucceeded'
  AND p.name = 'com.android.systemui'
UNION ALL
SELECT
  iif(s.name GLOB 'Broadcast dispatched*', 21, 22), l.startup_id, s.id, s.name, s.ts, s.dur,
  th.tid, own.pid, TRUE, 3, 0
FROM android_startups AS l
LEFT JOIN _launched_process AS own USING (startup_id)
JOIN slice AS s ON s.ts BETWEEN l.ts AND l.ts_end
LEFT JOIN thread_track AS t ON t.id = s.track_id
LEFT JOIN thread AS th USING (utid)
WHERE s.name GLOB 'Broadcast dispatched*' OR s.name GLOB 'broadcastReceiveReg*'
UNION ALL
SELECT 24, s.startup_id, s.slice_id, s.slice_name, s.slice_ts, s.slice_dur, s.tid, p.pid, TRUE, 3,
  s.utid
FROM android_thread_slices_for_all_startups AS s
JOIN thread USING (utid)
JOIN process AS p USING (upid)
WHERE s.slice_name = 'binder transaction' AND s.is_main_thread AND s.slice_dur > 20000000
  AND EXISTS (
    SELECT 1
    FROM following_flow(s.slice_id) AS f
    JOIN slice AS reply ON reply.id = f.slice_in
    WHERE reply.dur > 20000000
  );

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
WHERE state = 'Running' AND thread_name = 'Jit thread pool';

-- Services that ran on behalf of other apps.
CREATE OR REPLACE PERFETTO TABLE _service_run AS
SELECT l.startup_id, iif(p.name GLOB '*installd', 7, 6) AS place, p.name, r.ts, r.dur
FROM android_startups AS l
JOIN sched AS r ON r.ts BETWEEN l.ts AND l.ts_end
JOIN thread USING (utid)
JOIN process AS p USING (upid)
WHERE p.name GLOB '*dex2oat64' OR p.name GLOB '*installd';

-- The first launch that overlaps another one.
CREATE OR REPLACE PERFETTO TABLE _concurrent_launch AS
SELECT a.startup_id, b.package, min(b.ts) AS ts
FROM android_startups AS a
JOIN android_startups AS b
  ON b.startup_id != a.startup_id AND b.ts < a.ts_end AND b.ts_end > a.ts
GROUP BY a.startup_id;

-- What else there is to say of a reason.
CREATE OR REPLACE PERFETTO VIEW _reason_info AS
SELECT startup_id, place, 'Process: ' || name AS info, min(ts) AS ts
FROM _service_run
GROUP BY startup_id, place
UNION ALL
SELECT startup_id, 23, 'Package: ' || package, ts FROM _concurrent_launch;

CREATE OR REPLACE PERFETTO TABLE _reason_amount AS
SELECT startup_id, place, sum(iif(counts, dur, 0)) AS total, sum(counts) AS number
FROM _reason_slice
GROUP BY startup_id, place
UNION ALL
SELECT startup_id, place, sum(dur), count(*) FROM _reason_state GROUP BY startup_id, place
UNION ALL
SELECT DISTINCT l.startup_id, 4, 1, 1
FROM android_startups AS l
JOIN package_list AS k ON k.package_name = l.package
WHERE k.debuggable
UNION ALL
SELECT startup_id, place, sum(dur), count(*) FROM _service_run GROUP BY startup_id, place
UNION ALL
SELECT startup_id, 23, 1, 1 FROM _concurrent_launch;

-- The longest ones show where.
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
  SELECT
    *,
    row_number() OVER (
      PARTITION BY startup_id, place ORDER BY dur DESC, utid, slice_id
    ) AS number
  FROM _reason_slice
  WHERE shown
  ORDER BY startup_id, place, number
)
WHERE number <= shown
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
