-- How long switching the user of a car took, and what the user before (number 10) still used.

INCLUDE PERFETTO MODULE android.startup.startups;

-- The last start of a user, named UserController.startUser-11-fg-start-mode-1.
CREATE PERFETTO TABLE _user_start AS
SELECT name, max(ts) AS ts, substr(name, instr(name, '-') + 1, 2) AS user_id
FROM slice
WHERE name GLOB 'UserController.startUser*' AND name NOT GLOB 'UserController.startUser-10*'
HAVING max(ts) IS NOT NULL;

-- From the last start of a user other than 10 to each of the events that follow it: launches of
-- apps, and the stop of user 10.
CREATE PERFETTO TABLE android_auto_multiuser_timing(
  -- Number of the started user, as in the slice's name.
  event_start_user_id STRING,
  -- When the user's start began (ns).
  event_start_time LONG,
  -- When the later event ended (ns).
  event_end_time LONG,
  -- Package of the launched app, or the name of the slice `finishUserStopped-10...`.
  event_end_name STRING,
  -- Name of the slice that started the user.
  event_start_name STRING,
  -- `event_end_time` less `event_start_time` (ns).
  duration LONG
) AS
SELECT s.user_id AS event_start_user_id, s.ts AS event_start_time, e.ts_end AS event_end_time,
  e.name AS event_end_name, s.name AS event_start_name, e.ts_end - s.ts AS duration
FROM _user_start AS s
JOIN (
  SELECT ts_end, package AS name FROM android_startups
  UNION
  SELECT ts + dur, name FROM slice WHERE name GLOB 'finishUserStopped-10*'
) AS e ON e.ts_end > s.ts;

CREATE PERFETTO TABLE _previous_user_cpu AS
SELECT e.event_end_name, sum(r.dur) AS cpu_time
FROM android_auto_multiuser_timing AS e
JOIN process AS p ON p.android_user_id = 10
JOIN thread ON thread.upid = p.upid
JOIN sched_slice AS r ON r.utid = thread.utid AND r.ts >= e.event_start_time
  AND r.ts <= e.event_end_time
GROUP BY e.event_end_name;

-- Memory that processes took, not what they gave back.
CREATE PERFETTO TABLE _previous_user_memory AS
SELECT event_end_name, CAST(sum(max(value - previous, 0)) / 1e3 AS INTEGER) AS kb
FROM (
  SELECT e.event_end_name, c.value,
    lag(c.value, 1, c.value) OVER (PARTITION BY e.event_end_name, p.name ORDER BY c.ts) AS previous
  FROM android_auto_multiuser_timing AS e
  JOIN process AS p ON p.android_user_id = 10
  JOIN process_counter_track AS t ON t.upid = p.upid AND t.name = 'mem.rss'
  JOIN counter AS c ON c.track_id = t.id AND c.ts BETWEEN e.event_start_time AND e.event_end_time
)
GROUP BY event_end_name;

-- The rows of android_auto_multiuser_timing with what processes of user 10 used meanwhile.
CREATE PERFETTO VIEW android_auto_multiuser_timing_with_previous_user_resource_usage(
  -- Number of the started user, as in the slice's name.
  event_start_user_id STRING,
  -- When the user's start began (ns).
  event_start_time LONG,
  -- When the later event ended (ns).
  event_end_time LONG,
  -- Package of the launched app, or the name of the slice `finishUserStopped-10...`.
  event_end_name STRING,
  -- Name of the slice that started the user.
  event_start_name STRING,
  -- `event_end_time` less `event_start_time` (ns).
  duration LONG,
  -- 10 where processes of that user ran meanwhile, else NULL.
  user_id LONG,
  -- CPU time in ns of user 10's threads, by runs that began within the interval.
  total_cpu_time LONG,
  -- Growth of the RSS of user 10's processes in kB (1000 bytes), shrinking left out.
  total_memory_usage_kb LONG
) AS
SELECT e.event_start_user_id, e.event_start_time, e.event_end_time, e.event_end_name,
  e.event_start_name, e.duration, iif(c.cpu_time IS NULL, NULL, 10) AS user_id,
  c.cpu_time AS total_cpu_time, m.kb AS total_memory_usage_kb
FROM android_auto_multiuser_timing AS e
LEFT JOIN _previous_user_cpu AS c ON c.event_end_name = e.event_end_name
LEFT JOIN _previous_user_memory AS m ON m.event_end_name = e.event_end_name;
