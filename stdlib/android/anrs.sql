-- Apps that did not respond (ANR).

INCLUDE PERFETTO MODULE slices.with_context;

-- What the line that reports an ANR begins with tells its type: a pattern, the type, how long the
-- system waits by default, and what in the line names the component. Devices may wait otherwise.
CREATE PERFETTO TABLE _anr_types AS
SELECT column1 AS place, column2 AS pattern, column3 AS anr_type, column4 AS default_ms,
  column5 AS component
FROM (VALUES
  (1, '^Broadcast of', 'BROADCAST_OF_INTENT', NULL, ' cmp=([^ ]+)'),
  (2, '^Input dispatching timed out.*(does not have a focused window|no window has focus but)',
    'INPUT_DISPATCHING_TIMEOUT_NO_FOCUSED_WINDOW', 5000, NULL),
  (3, '^Input dispatching timed out', 'INPUT_DISPATCHING_TIMEOUT', 5000, '\([^ ]+ ([^ ]+)'),
  (4, '^Context.startForegroundService\(\) did not then call', 'START_FOREGROUND_SERVICE', 30000,
    '\{[^ ]+ u\d+ ([^ ]+)'),
  (5, '^executing service', 'EXECUTING_SERVICE', 20000, 'executing service ([^,]+)'),
  (6, '^ContentProvider not responding', 'CONTENT_PROVIDER_NOT_RESPONDING', NULL, NULL),
  (7, '^App requested: Buffer processing hung up due to stuck fence', 'GPU_HANG', NULL, NULL),
  (8, '^No response to onStartJob', 'JOB_SERVICE_START', 8000, NULL),
  (9, '^No response to onStopJob', 'JOB_SERVICE_STOP', 8000, NULL),
  (10, '^Timed out while trying to bind', 'JOB_SERVICE_BIND', 8000, NULL),
  (11, '^Process ProcessRecord\{.*\} failed to complete startup', 'BIND_APPLICATION', 15000, NULL),
  (12, '^A foreground service of FOREGROUND_SERVICE_TYPE_SHORT_SERVICE did not stop',
    'FOREGROUND_SHORT_SERVICE_TIMEOUT', 180000, 'ComponentInfo\{([^}]+)'),
  (13, '^A foreground service of type', 'FOREGROUND_SERVICE_TIMEOUT', 30000,
    'ComponentInfo\{([^}]+)'),
  (14, '^App requested: ', 'APP_TRIGGERED', NULL, '^App requested: (.*)'),
  (15, '^required notification not provided', 'JOB_SERVICE_NOTIFICATION_NOT_PROVIDED', 8000, NULL));

-- The flags of the intent in such a line; NULL where it tells none.
CREATE PERFETTO FUNCTION _get_broadcast_flag(subject STRING) RETURNS LONG AS
SELECT unhex(regexp_extract($subject, '^Broadcast of Intent .*? flg=([^ ]*)'));

CREATE PERFETTO FUNCTION _extract_anr_duration_from_subject(subject STRING) RETURNS LONG AS
SELECT iif($subject GLOB '*Blocked in* for *s*',
  CAST(regexp_extract($subject, ' for ([0-9]+)s') * 1000 AS INTEGER), NULL);

-- Types as timers tell them.
CREATE PERFETTO FUNCTION _platform_to_standard_anr_type(platform STRING) RETURNS STRING AS
SELECT CASE $platform
  WHEN 'BROADCAST_TIMEOUT' THEN 'BROADCAST_OF_INTENT'
  WHEN 'SERVICE_TIMEOUT' THEN 'EXECUTING_SERVICE'
  WHEN 'SHORT_FGS_TIMEOUT' THEN 'FOREGROUND_SHORT_SERVICE_TIMEOUT'
  WHEN 'SERVICE_FOREGROUND_TIMEOUT' THEN 'FOREGROUND_SERVICE_TIMEOUT'
  WHEN 'JobScheduler' THEN NULL
  ELSE $platform
END;

-- The counters are called "ErrorId:PROCESS PID#UUID" (without the pid in older versions) and
-- "Subject(for ErrorId UUID):LINE".
CREATE PERFETTO TABLE _anr_reports AS
SELECT t.name, min(c.ts) AS ts
FROM process_counter_track AS t
JOIN process AS p USING (upid)
JOIN counter AS c ON c.track_id = t.id
WHERE p.name = 'system_server' AND (t.name GLOB 'ErrorId:*' OR t.name GLOB 'Subject(for ErrorId *')
GROUP BY t.id;

CREATE PERFETTO TABLE _anr_subjects AS
SELECT regexp_extract(name, 'ErrorId ([^)]+)\)') AS error_id,
  regexp_extract(name, 'ErrorId [^)]+\):(.*)') AS subject
FROM _anr_reports
WHERE name GLOB 'Subject(*';

-- Timers say "expired(ID,PID,UID,TYPE,MS)".
CREATE PERFETTO TABLE _anr_timers AS
SELECT ts, CAST(str_split(name, ',', 1) AS INTEGER) AS pid,
  _platform_to_standard_anr_type(str_split(name, ',', 3)) AS anr_type,
  CAST(str_split(name, ',', 4) AS INTEGER) AS dur_ms
FROM slice
WHERE name GLOB 'expired(*,*,*,*,*)';

-- The last timer of the process that had run out before belongs to the report.
CREATE PERFETTO TABLE _anr_expired AS
SELECT a.error_id, a.process_name, a.pid, a.ts, t.ts AS timer_ts, t.anr_type, t.dur_ms
FROM (
  SELECT regexp_extract(name, '#(.*)$') AS error_id,
    regexp_extract(name, '^ErrorId:([^ #]+)') AS process_name,
    CAST(regexp_extract(name, '^ErrorId:[^ #]+ (\d+)#') AS INTEGER) AS pid, ts
  FROM _anr_reports
  WHERE name GLOB 'ErrorId:*'
) AS a
LEFT JOIN _anr_timers AS t ON t.pid = a.pid AND t.ts <= a.ts
GROUP BY a.error_id
HAVING max(coalesce(t.ts, 0)) IS NOT NULL;

-- Without a known beginning, in system_server it was the watchdog.
CREATE PERFETTO TABLE _anr_typed AS
SELECT e.error_id, e.process_name, e.pid, e.ts, e.timer_ts, e.dur_ms, s.subject,
  coalesce(e.anr_type, (
    SELECT anr_type
    FROM _anr_types
    WHERE place = (SELECT min(place) FROM _anr_types WHERE regexp(pattern, s.subject))
  ), CASE
    WHEN s.subject IS NULL THEN NULL
    WHEN e.process_name = 'system_server' THEN 'SYSTEM_SERVER_WATCHDOG_TIMEOUT'
    ELSE 'UNKNOWN_ANR_TYPE'
  END) AS anr_type
FROM _anr_expired AS e
LEFT JOIN _anr_subjects AS s USING (error_id);

-- One row per ANR that system_server reported. Broadcasts that are sent with
-- FLAG_RECEIVER_FOREGROUND wait for less.
CREATE PERFETTO TABLE android_anrs(
  -- Name of the process that did not respond, as reported.
  process_name STRING,
  -- Pid of that process, as reported; NULL on versions that do not report it.
  pid LONG,
  -- The process that did not respond: the newest that had this pid.
  upid JOINID(process.id),
  -- UUID of the report, the same in dropbox entries and bug reports.
  error_id STRING,
  -- When system_server reported the ANR: later than its cause by at least the timeout.
  ts TIMESTAMP,
  -- The line that describes the ANR.
  subject STRING,
  -- Action of the broadcast that was not handled; NULL for other types.
  intent STRING,
  -- Activity, service or receiver that the subject names; NULL if it names none.
  component STRING,
  -- Time in ns from the expiry of the ANR's timer to the report; NULL if no timer was traced.
  timer_delay LONG,
  -- What timed out, e.g. `INPUT_DISPATCHING_TIMEOUT`, from the timer if known, else from the
  -- subject.
  anr_type STRING,
  -- The timeout in ms by which the system went: the timer's, else the one in the subject.
  anr_dur_ms LONG,
  -- The timeout in ms that AOSP has for this type; NULL if it has none.
  default_anr_dur_ms LONG
) AS
SELECT a.process_name, a.pid, max(p.upid) AS upid, a.error_id, a.ts, a.subject,
  iif(a.anr_type = 'BROADCAST_OF_INTENT',
    coalesce(regexp_extract(a.subject, 'act=([^ ]+)'),
      regexp_extract(a.subject, '^Broadcast of ([^ ]+)/u')), NULL) AS intent,
  regexp_extract(a.subject, t.component) AS component, a.ts - a.timer_ts AS timer_delay,
  a.anr_type,
  coalesce(a.dur_ms, 1000 * CAST(regexp_extract(a.subject, 'Blocked in.* for (\d+)s') AS INTEGER))
    AS anr_dur_ms,
  iif(a.anr_type = 'BROADCAST_OF_INTENT',
    iif(coalesce(unhex(regexp_extract(a.subject, ' flg=([^ ]+)')), 0x10000000) & 0x10000000, 10000,
      60000), t.default_ms) AS default_anr_dur_ms
FROM _anr_typed AS a
LEFT JOIN _anr_types AS t USING (anr_type)
LEFT JOIN process AS p ON p.pid = a.pid
GROUP BY a.error_id
ORDER BY a.ts;
