-- Where apps were launched: what the activity manager writes. It changed with Android's versions.

-- The slices that show a package being launched.
CREATE PERFETTO TABLE _launching AS
SELECT ts, dur, ts + dur AS ts_end, substr(name, length('launching: ') + 1) AS package
FROM slice
WHERE name GLOB 'launching: *';

-- Android 13 on: launchingActivity#N lasts as long as the launch, which ends with the instant
-- launchingActivity#N:completed-TYPE:PACKAGE.
CREATE PERFETTO TABLE _launches_33 AS
SELECT CAST(substr(started.name, length('launchingActivity#') + 1) AS INTEGER) AS startup_id,
  started.ts, started.ts + started.dur AS ts_end, str_split(done.name, ':', 2) AS package,
  nullif(substr(str_split(done.name, ':', 1), length('completed-') + 1), '') AS startup_type
FROM slice AS done
JOIN slice AS started ON started.name = str_split(done.name, ':', 0)
WHERE done.name GLOB 'launchingActivity#*:completed*:*' AND started.dur >= 0;

-- Android 10 to 12: the launch of a package between the notices of an intent and of the launch's
-- end, counted from the intent.
CREATE PERFETTO TABLE _launches_29 AS
WITH notices AS (
  SELECT ts, name, lead(ts) OVER by_ts AS next_ts, lead(name) OVER by_ts AS next_name
  FROM slice
  WHERE name IN ('MetricsLogger:launchObserverNotifyIntentStarted',
    'MetricsLogger:launchObserverNotifyActivityLaunchCancelled',
    'MetricsLogger:launchObserverNotifyActivityLaunchFinished')
  WINDOW by_ts AS (ORDER BY ts)
)
SELECT row_number() OVER (ORDER BY n.ts) - 1 AS startup_id, n.ts, l.ts_end, l.package,
  NULL AS startup_type
FROM notices AS n
JOIN _launching AS l ON l.ts BETWEEN n.ts AND n.next_ts
WHERE n.name GLOB '*IntentStarted' AND n.next_name GLOB '*LaunchFinished'
GROUP BY n.ts
HAVING max(l.ts) IS NOT NULL;

-- Before that only the package's own slice tells.
CREATE PERFETTO TABLE _launches_28 AS
SELECT row_number() OVER (ORDER BY ts) - 1 AS startup_id, ts, ts_end, package, NULL AS startup_type
FROM _launching;

-- Which of them a recording has; it may not say what version it was made on.
CREATE PERFETTO TABLE _launch_version AS
SELECT CASE
  WHEN sdk >= 33 THEN 33
  WHEN sdk >= 29 THEN 29
  WHEN sdk IS NOT NULL THEN 28
  WHEN EXISTS (SELECT 1 FROM slice WHERE name GLOB 'launchingActivity#*:*') THEN 33
  WHEN EXISTS (SELECT 1 FROM slice WHERE name GLOB 'MetricsLogger:*') THEN 29
  ELSE 28
END AS version
FROM (SELECT max(int_value) AS sdk FROM metadata WHERE name = 'android_sdk_version');
