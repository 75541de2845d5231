-- Rules for builds: logs of Ninja, profiles of Bazel, clang's -ftime-trace.

-- symptom: job that ran alone
-- needs: slice, thread.name GLOB Worker *, process.name GLOB Build*
-- The rest of a build waits for it.
CREATE OR REPLACE PERFETTO TABLE _explain_jobs AS
SELECT s.id, s.ts, s.ts + s.dur AS ts_end, s.name, k.utid
FROM slice AS s
JOIN thread_track AS k ON k.id = s.track_id
JOIN thread AS t USING (utid)
JOIN process AS p USING (upid)
WHERE p.name GLOB 'Build*' AND t.name GLOB 'Worker *' AND s.depth = 0 AND s.dur > 0;
CREATE OR REPLACE PERFETTO TABLE _explain_alone AS
WITH changes AS (
  SELECT ts, 1 AS more FROM _explain_jobs UNION ALL SELECT ts_end, -1 FROM _explain_jobs
), counted AS (
  SELECT ts, sum(sum(more)) OVER (ORDER BY ts) AS running, lead(ts) OVER (ORDER BY ts) AS until
  FROM changes GROUP BY ts
)
SELECT ts, until - ts AS dur FROM counted WHERE running = 1 AND until > ts ORDER BY dur DESC LIMIT 200;
SELECT j.ts, j.ts_end - j.ts AS dur, j.name || ', of which ' || printf('%.1f s', sum(a.dur) / 1e9) || ' alone' AS name,
  iif(sum(a.dur) > 0.2 * trace_dur(), 'severe', iif(sum(a.dur) > 0.05 * trace_dur(), 'problem', 'note')) AS level,
  sum(a.dur) AS cost, 'slice' AS ref, j.id AS ref_id, 'job|' || j.name AS key,
  j.name || ' ran alone while ' || ((SELECT count(DISTINCT utid) FROM _explain_jobs) - 1) || ' other workers had nothing to do' AS cause
FROM _explain_alone AS a
JOIN _explain_jobs AS j ON j.ts <= a.ts AND j.ts_end >= a.ts + a.dur
WHERE (SELECT count(DISTINCT utid) FROM _explain_jobs) > 1
GROUP BY j.id
HAVING sum(a.dur) > 0.02 * trace_dur()
ORDER BY cost DESC
LIMIT 20;

-- symptom: critical path
-- needs: slice.category GLOB critical path component
-- As Bazel says it.
SELECT s.ts, s.dur, s.name || ' on the critical path' AS name,
  iif(s.dur > 0.2 * trace_dur(), 'severe', iif(s.dur > 0.05 * trace_dur(), 'problem', 'note')) AS level,
  'slice' AS ref, s.id AS ref_id, 'path|' || s.name AS key, s.name AS cause
FROM slice AS s
WHERE s.category = 'critical path component' AND s.dur > 0
ORDER BY s.dur DESC
LIMIT 10;

-- symptom: slow to compile
-- needs: slice.name GLOB ExecuteCompiler | Total ExecuteCompiler
-- What clang spent its time on, by what it says with each event.
CREATE OR REPLACE PERFETTO TABLE _explain_compiled AS
SELECT s.name, s.id, s.ts, s.dur, extract_arg(s.arg_set_id, 'args.detail') AS detail
FROM slice AS s
WHERE s.name IN ('Source', 'InstantiateClass', 'InstantiateFunction', 'ParseClass', 'OptFunction', 'OptModule', 'CodeGen Function')
  AND s.dur > 0;
SELECT min(ts) AS ts, max(dur) AS dur, name || ' ' || detail || iif(count() > 1, ', ' || count() || ' times', '') AS name,
  iif(sum(dur) > 0.2 * trace_dur(), 'problem', 'note') AS level, sum(dur) AS cost,
  'slice' AS ref, min(id) AS ref_id, 'compile|' || detail AS key,
  CASE name WHEN 'OptModule' THEN 'optimizing ' || detail WHEN 'Source' THEN 'the header ' || detail WHEN 'InstantiateClass' THEN 'the template ' || detail
    WHEN 'InstantiateFunction' THEN 'the template ' || detail ELSE name || ' ' || detail END AS cause
FROM _explain_compiled
WHERE detail IS NOT NULL
GROUP BY name, detail
HAVING sum(dur) > 0.05 * trace_dur()
ORDER BY cost DESC
LIMIT 20;
