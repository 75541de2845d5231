-- Launches of apps, the processes and threads that carried them out, and what these did.

INCLUDE PERFETTO MODULE android.frames.timeline;
INCLUDE PERFETTO MODULE android.process_metadata;
INCLUDE PERFETTO MODULE android.startup.launches;
INCLUDE PERFETTO MODULE android.startup.startup_events;

CREATE PERFETTO TABLE _startups AS
SELECT * FROM _launches_33 WHERE (SELECT version FROM _launch_version) = 33
UNION ALL
SELECT * FROM _launches_29 WHERE (SELECT version FROM _launch_version) = 29
UNION ALL
SELECT * FROM _launches_28 WHERE (SELECT version FROM _launch_version) = 28
ORDER BY ts;

-- Steps of a launch on the main threads of the package's processes. Without a list of packages the
-- names of processes tell which those are.
CREATE PERFETTO TABLE _startup_steps AS
SELECT s.startup_id, p.upid, p.pid, slice.name
FROM _startups AS s
JOIN android_process_metadata AS p ON p.package_name = s.package
  OR substr(p.process_name, 1, length(s.package)) = s.package
    AND NOT EXISTS (SELECT 1 FROM package_list)
JOIN thread ON thread.upid = p.upid AND thread.is_main_thread
JOIN thread_track AS t ON t.utid = thread.utid
JOIN slice ON slice.track_id = t.id AND slice.ts >= s.ts AND slice.ts < s.ts_end
WHERE slice.name IN ('bindApplication', 'activityStart', 'activityResume');

-- Processes of launches, with their types: what the system said, else the steps tell: only a cold
-- start begins a process, only a hot one does without starting an activity.
CREATE PERFETTO TABLE _startup_processes AS
SELECT startup_id, t.upid, t.pid,
  coalesce(s.startup_type, CASE
    WHEN NOT max(t.name = 'activityStart') THEN 'hot'
    WHEN max(t.name = 'bindApplication') THEN 'cold'
    ELSE 'warm'
  END) AS startup_type
FROM _startup_steps AS t
JOIN _startups AS s USING (startup_id)
GROUP BY startup_id, t.upid
HAVING max(t.name = 'activityResume');

-- One row per launch of an app. Another activity may be launched first that only passes on (a
-- trampoline): the package's own part is its launching slice then.
CREATE PERFETTO VIEW android_startups(
  -- Number of the launch.
  startup_id ID,
  -- When the launch began, from Android 10 to 12 with the intent.
  ts TIMESTAMP,
  -- When the launch ended.
  ts_end TIMESTAMP,
  -- How long the launch lasted.
  dur DURATION,
  -- `dur` without an activity that was launched before and only passed on.
  dur_without_trampoline DURATION,
  -- The launched package.
  package STRING,
  -- `cold`, `warm` or `hot`: what the system said, else what the process did.
  startup_type STRING
) AS
SELECT s.startup_id, s.ts, s.ts_end, s.ts_end - s.ts AS dur,
  coalesce((
    SELECT max(own.ts_end) - max(own.ts)
    FROM _launching AS own
    WHERE own.package = s.package AND own.ts BETWEEN s.ts AND s.ts_end AND EXISTS (
      SELECT 1
      FROM _launching AS earlier
      WHERE earlier.ts >= s.ts AND earlier.ts < own.ts
    )
  ), s.ts_end - s.ts) AS dur_without_trampoline,
  s.package,
  coalesce(s.startup_type, (
    SELECT p.startup_type FROM _startup_processes AS p
    WHERE p.startup_id = s.startup_id
    ORDER BY p.upid
    LIMIT 1
  )) AS startup_type
FROM _startups AS s;

-- One row per process of a launch.
CREATE PERFETTO TABLE android_startup_processes(
  -- The launch.
  startup_id JOINID(android_startups.startup_id),
  -- The process.
  upid JOINID(process.id),
  -- Pid of the process.
  pid LONG,
  -- `cold`, `warm` or `hot`.
  startup_type STRING
) AS
SELECT startup_id, upid, pid, startup_type
FROM _startup_processes;

-- One row per thread of the processes of a launch.
CREATE PERFETTO VIEW android_startup_threads(
  -- The launch.
  startup_id JOINID(android_startups.startup_id),
  -- When the launch began.
  ts TIMESTAMP,
  -- How long the launch lasted.
  dur DURATION,
  -- The process.
  upid JOINID(process.id),
  -- Pid of the process.
  pid LONG,
  -- The thread.
  utid JOINID(thread.id),
  -- Tid of the thread.
  tid LONG,
  -- Name of the thread.
  thread_name STRING,
  -- Whether the thread is the main one of its process.
  is_main_thread BOOL
) AS
SELECT s.startup_id, s.ts, s.ts_end - s.ts AS dur, p.upid, p.pid, thread.utid, thread.tid,
  thread.name AS thread_name, thread.is_main_thread
FROM _startups AS s
JOIN android_startup_processes AS p USING (startup_id)
JOIN thread USING (upid);

-- Slices of the threads of launches that began during the launch.
CREATE PERFETTO VIEW android_thread_slices_for_all_startups(
  -- When the launch began.
  startup_ts TIMESTAMP,
  -- When the launch ended.
  startup_ts_end TIMESTAMP,
  -- The launch.
  startup_id JOINID(android_startups.startup_id),
  -- The thread.
  utid JOINID(thread.id),
  -- Tid of the thread.
  tid LONG,
  -- Name of the thread.
  thread_name STRING,
  -- Whether the thread is the main one of its process.
  is_main_thread BOOL,
  -- The slice's args (joins args.arg_set_id).
  arg_set_id ARGSETID,
  -- The slice.
  slice_id JOINID(slice.id),
  -- Name of the slice.
  slice_name STRING,
  -- When the slice began.
  slice_ts TIMESTAMP,
  -- How long the slice lasted.
  slice_dur DURATION
) AS
SELECT s.ts AS startup_ts, s.ts + s.dur AS startup_ts_end, s.startup_id, s.utid, s.tid,
  s.thread_name, s.is_main_thread, slice.arg_set_id, slice.id AS slice_id,
  slice.name AS slice_name, slice.ts AS slice_ts, slice.dur AS slice_dur
FROM android_startup_threads AS s
JOIN thread_track AS t ON t.utid = s.utid
JOIN slice ON slice.track_id = t.id AND slice.ts BETWEEN s.ts AND s.ts + s.dur;

-- Classes that launches loaded, one row per slice. The runtime writes a class's descriptor while it
-- loads it.
CREATE PERFETTO VIEW android_class_loading_for_startup(
  -- The slice.
  slice_id JOINID(slice.id),
  -- The launch.
  startup_id JOINID(android_startups.startup_id),
  -- Name of the slice: the class, as a descriptor `Lpackage/Class;`.
  slice_name STRING,
  -- When the slice began.
  slice_ts TIMESTAMP,
  -- How long the slice lasted.
  slice_dur DURATION,
  -- Name of the thread.
  thread_name STRING,
  -- Tid of the thread.
  tid LONG,
  -- The slice's args (joins args.arg_set_id).
  arg_set_id ARGSETID
) AS
SELECT slice_id, startup_id, slice_name, slice_ts, slice_dur, thread_name, tid, arg_set_id
FROM android_thread_slices_for_all_startups
WHERE slice_name GLOB 'L*;';

-- Slices of a launch by name.
CREATE PERFETTO FUNCTION android_slices_for_startup_and_slice_name(
  -- The launch.
  startup_id JOINID(android_startups.startup_id),
  -- A pattern for GLOB that names match.
  slice_name STRING
) RETURNS TABLE(
  -- The slice.
  slice_id JOINID(slice.id),
  -- Name of the slice.
  slice_name STRING,
  -- When the slice began.
  slice_ts TIMESTAMP,
  -- How long the slice lasted.
  slice_dur DURATION,
  -- Name of the thread.
  thread_name STRING,
  -- Tid of the thread.
  tid LONG,
  -- The slice's args (joins args.arg_set_id).
  arg_set_id ARGSETID
) AS
SELECT slice_id, slice_name, slice_ts, slice_dur, thread_name, tid, arg_set_id
FROM android_thread_slices_for_all_startups
WHERE startup_id = $startup_id AND slice_name GLOB $slice_name;

-- Time that slices of a name took in a launch.
CREATE PERFETTO FUNCTION android_sum_dur_for_startup_and_slice(
  -- The launch.
  startup_id JOINID(android_startups.startup_id),
  -- A pattern for GLOB that names match.
  slice_name STRING
)
-- Their durations in ns, summed, also where they overlap; NULL without any.
RETURNS LONG AS
SELECT sum(slice_dur)
FROM android_thread_slices_for_all_startups
WHERE startup_id = $startup_id AND slice_name GLOB $slice_name;

-- Time that slices of a name took in a launch on its main threads.
CREATE PERFETTO FUNCTION android_sum_dur_on_main_thread_for_startup_and_slice(
  -- The launch.
  startup_id JOINID(android_startups.startup_id),
  -- A pattern for GLOB that names match.
  slice_name STRING
)
-- Their durations in ns, summed, also where they nest; NULL without any.
RETURNS LONG AS
SELECT sum(slice_dur)
FROM android_thread_slices_for_all_startups
WHERE startup_id = $startup_id AND slice_name GLOB $slice_name AND is_main_thread;

-- Slow binder calls that a launch made and waited for.
CREATE PERFETTO FUNCTION android_binder_transaction_slices_for_startup(
  -- The launch.
  startup_id JOINID(android_startups.startup_id),
  -- Calls count that take longer than this, in ns.
  threshold DOUBLE
) RETURNS TABLE(
  -- Slice of the call (joins slice.id).
  id LONG,
  -- How long the slice lasted.
  slice_dur DURATION,
  -- Name of the thread.
  thread_name STRING,
  -- Name of the called process.
  process STRING,
  -- The slice's args (joins args.arg_set_id).
  arg_set_id ARGSETID,
  -- Whether the thread is the main one of its process.
  is_main_thread BOOL
) AS
SELECT s.slice_id AS id, s.slice_dur, s.thread_name, p.name AS process, s.arg_set_id,
  s.is_main_thread
FROM android_thread_slices_for_all_startups AS s
JOIN process AS p ON p.pid = extract_arg(s.arg_set_id, 'destination process')
WHERE s.startup_id = $startup_id AND s.slice_name = 'binder transaction'
  AND s.slice_dur > $threshold;
