-- Rules for power: what was measured, and what kept a device awake.

-- symptom: power
-- level: note
-- needs: track.type GLOB power_rails
-- The rails that took most; what is usual for a device nobody knows here.
SELECT r.ts, r.dur, printf('%.2f J of %.2f J on all rails', r.uj / 1e6, a.uj / 1e6) AS name, 0 AS cost,
  'rail|' || r.name AS key,
  CASE
    WHEN r.name GLOB 'power.rails.*' THEN substr(r.name, 13)
    WHEN r.name GLOB 'power.*_uws' THEN substr(r.name, 7, length(r.name) - 10)
    ELSE r.name
  END || printf(' drew %.0f mW on average, %.0f %% of all rails', r.uj * 1e6 / r.dur, 100.0 * r.uj / a.uj) AS cause
FROM (
  SELECT t.name, min(c.ts) AS ts, max(c.ts) - min(c.ts) AS dur, max(c.value) - min(c.value) AS uj
  FROM track AS t JOIN counter AS c ON c.track_id = t.id
  WHERE t.type = 'power_rails'
  GROUP BY t.id
) AS r
JOIN (
  SELECT sum(uj) AS uj FROM (
    SELECT max(c.value) - min(c.value) AS uj
    FROM track AS t JOIN counter AS c ON c.track_id = t.id
    WHERE t.type = 'power_rails'
    GROUP BY t.id
  )
) AS a
WHERE r.dur > 0 AND r.uj > 0.2 * a.uj
ORDER BY r.uj DESC
LIMIT 3;

-- symptom: wake-ups of the device
-- level: note
-- needs: track.type GLOB suspend_resume_minimal
-- More than a note where it was awake for much of the time, or woke more than once in 20 s.
CREATE OR REPLACE PERFETTO TABLE _explain_suspends AS
SELECT s.ts, s.dur
FROM slice AS s JOIN track AS t ON t.id = s.track_id
WHERE t.type = 'suspend_resume_minimal' AND s.dur > 0;
CREATE OR REPLACE PERFETTO TABLE _explain_wakers AS
SELECT ltrim(substr(s.name, instr(s.name, ' ') + 1), '0123456789 ') AS who, count() AS times
FROM slice AS s JOIN track AS t ON t.id = s.track_id
WHERE t.name = 'wakeup_reason' AND s.name != 'N'
GROUP BY who
ORDER BY times DESC;
SELECT u.ts, u.dur, 'woken ' || u.times || ' times, ' || printf('%.0f an hour, awake for %.0f %% of the time', u.times * 3600e9 / u.dur, 100 - 100.0 * u.asleep / u.dur) AS name,
  iif(u.times > 3 AND (u.dur / u.times < 20e9 OR u.asleep < 0.7 * u.dur), 'problem', 'note') AS level,
  u.dur - u.asleep AS cost, 'wakeups' AS key,
  coalesce(
    'mostly by ' || (SELECT who || printf(' (%.0f %%)', 100.0 * times / (SELECT sum(times) FROM _explain_wakers)) FROM _explain_wakers LIMIT 1)
      || ifnull(', then ' || (SELECT who || printf(' (%.0f %%)', 100.0 * times / (SELECT sum(times) FROM _explain_wakers)) FROM _explain_wakers LIMIT 1 OFFSET 1), ''),
    'by what was not recorded'
  ) AS cause
FROM (
  SELECT count() AS times, sum(dur) AS asleep, min(ts) AS ts, max(ts + dur) - min(ts) AS dur FROM _explain_suspends
) AS u
WHERE u.times > 0 AND u.dur > 0;

-- symptom: long wakelocks
-- needs: track.name GLOB battery_stats.longwake
-- Partial wakelocks that were held for longer than a minute, as the battery's statistics say it.
SELECT s.ts, 0 AS dur, 'held ' || iif(count() > 1, count() || ' times ', '') || 'for longer than a minute' AS name,
  iif(count() * 60e9 > 0.01 * trace_dur(), 'problem', 'note') AS level, count() * 60000000000 AS cost,
  'longwake|' || substr(s.name, instr(s.name, '=') + 1) AS key,
  'a wakelock of uid ' || rtrim(replace(substr(s.name, instr(s.name, '=') + 1), ':"', ': '), '"') AS cause
FROM slice AS s JOIN track AS t ON t.id = s.track_id
WHERE t.name = 'battery_stats.longwake' AND s.name GLOB '+longwake=*'
GROUP BY key;

-- symptom: GPU memory
-- level: note
-- needs: track.name GLOB GPU Memory
-- Of a process that has much more in the end than at first; one that grows to its end is a problem.
SELECT min(c.ts) AS ts, max(c.ts) - min(c.ts) AS dur,
  ifnull(p.name, p.pid) || printf(' had %.0f MB of GPU memory, at most %.0f MB', first.value / 1e6, max(c.value) / 1e6) AS name,
  iif(last.value > 0.95 * max(c.value) AND last.value > 2 * first.value, 'problem', 'note') AS level,
  CAST((max(c.value) - first.value) * 20 AS INTEGER) AS cost, p.upid, 'gpumem|' || ifnull(p.name, p.pid) AS key,
  ifnull(p.name, p.pid) || printf(' took %.0f MB more GPU memory', (last.value - first.value) / 1e6) AS cause
FROM process_counter_track AS k
JOIN counter AS c ON c.track_id = k.id
JOIN process AS p USING (upid)
JOIN (SELECT track_id, value, min(ts) FROM counter GROUP BY track_id) AS first ON first.track_id = k.id
JOIN (SELECT track_id, value, max(ts) FROM counter GROUP BY track_id) AS last ON last.track_id = k.id
WHERE k.name = 'GPU Memory'
GROUP BY k.id
HAVING max(c.value) - first.value > 50e6;
