-- How long a switch to another user took: from the tap until the launcher had started.
CREATE OR REPLACE PERFETTO TABLE _user_switch AS
SELECT start_ts AS ts, end_ts - start_ts AS dur
FROM (
  SELECT
    (
      SELECT max(ts) FROM slice
      WHERE name IN ('UserDetailView.Adapter#onClick', 'UserSwitcherController#onUserListItemClicked')
    ) AS start_ts
)
JOIN (
  SELECT ts, ts + dur AS end_ts FROM slice
  WHERE name GLOB 'launching: *launcher*' AND dur >= 0
) AS launch ON launch.ts > start_ts
ORDER BY launch.ts
LIMIT 1;

INCLUDE PERFETTO MODULE linux.cpu.utilization.process;

-- What each program of a user ran meanwhile.
CREATE OR REPLACE PERFETTO TABLE _user_cpu AS
SELECT
  p.uid / 100000 AS user_id,
  ifnull(pkg.package_name, p.name) AS name,
  sum(c.megacycles) AS megacycles
FROM _user_switch AS u
JOIN cpu_cycles_per_process_in_interval(u.ts, u.dur) AS c
JOIN process AS p USING (upid)
LEFT JOIN package_list AS pkg ON pkg.uid = p.uid % 100000 AND pkg.package_name = p.name
WHERE u.dur > 0 AND c.megacycles > 0
GROUP BY user_id, name;

CREATE OR REPLACE PERFETTO VIEW android_multiuser_output AS
SELECT AndroidMultiuserMetric(
  'user_switch', AndroidMultiuserMetric_EventData(
    'duration_ms', (SELECT CAST(dur / 1e6 + 0.5 AS INT) FROM _user_switch),
    'cpu_usage', (
      SELECT RepeatedField(AndroidMultiuserMetric_EventData_CpuUsage(
        'identifier', ifnull(user_id, 0) || ':' || name,
        'user_id', user_id,
        'process_name', name,
        'cpu_mcycles', megacycles,
        'cpu_percentage', 100.0 * megacycles / (SELECT sum(megacycles) FROM _user_cpu)))
      FROM (SELECT * FROM _user_cpu ORDER BY megacycles DESC LIMIT 25)
    ))
) AS message;
