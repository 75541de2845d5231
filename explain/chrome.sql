-- Rules for Chrome.

-- symptom: long task
-- slices: *RunTask, Run*PriorityTask, BlinkTaskScope, Scheduler::RunNextTask
SELECT s.ts, s.dur, 'a task of ' || ifnull(t.name, t.tid) || ' of ' || ifnull(p.name, p.pid) AS name,
  iif(s.dur > 200e6, 'severe', 'problem') AS level,
  50000000 AS limit_ns, s.dur - 50000000 AS cost, t.utid, 'slice' AS ref, s.id AS ref_id
FROM slice AS s
JOIN thread_track AS k ON k.id = s.track_id
JOIN thread AS t USING (utid)
LEFT JOIN process AS p USING (upid)
WHERE s.depth = 0 AND s.dur > 50e6
  AND s.name IN ('ThreadControllerImpl::RunTask', 'ThreadPool_RunTask', 'RunTask', 'TaskGraphRunner::RunTask',
    'RunNormalPriorityTask', 'RunHighPriorityTask', 'RunVeryHighPriorityTask', 'RunHighestPriorityTask', 'BlinkTaskScope',
    'Scheduler::RunNextTask')
  AND (t.is_main_thread OR t.name IN ('CrRendererMain', 'CrBrowserMain', 'VizCompositorThread', 'CrGpuMain', 'Compositor'))
ORDER BY cost DESC
LIMIT 200;

-- symptom: late reaction to input
-- slices: Web Interaction
INCLUDE PERFETTO MODULE chrome.web_content_interactions;
SELECT i.ts, i.dur, i.interaction_type || ' until the next paint' AS name,
  iif(i.dur > 500e6, 'severe', 'problem') AS level, 200000000 AS limit_ns, i.dur - 200000000 AS cost,
  (SELECT min(t.utid) FROM thread AS t WHERE t.upid = i.renderer_upid AND t.name = 'CrRendererMain') AS utid
FROM chrome_web_content_interactions AS i
WHERE i.dur > 200e6
ORDER BY cost DESC
LIMIT 50;

-- symptom: late largest paint
-- slices: PageLoadMetrics.*
-- What the busiest main thread of a renderer did until then.
INCLUDE PERFETTO MODULE chrome.page_loads;
CREATE OR REPLACE PERFETTO TABLE _explain_renderers AS
SELECT t.utid, s.ts, s.dur
FROM thread AS t
JOIN thread_track AS k USING (utid)
JOIN slice AS s ON s.track_id = k.id
WHERE t.name = 'CrRendererMain' AND s.depth = 0 AND s.dur > 0;
SELECT l.navigation_start_ts AS ts, l.lcp AS dur, 'largest paint of ' || l.url AS name,
  iif(l.lcp > 4e9, 'severe', 'problem') AS level, 2500000000 AS limit_ns, l.lcp - 2500000000 AS cost, (
    SELECT r.utid FROM _explain_renderers AS r
    WHERE r.ts BETWEEN l.navigation_start_ts AND l.navigation_start_ts + l.lcp
    GROUP BY r.utid ORDER BY sum(r.dur) DESC LIMIT 1
  ) AS utid
FROM chrome_page_loads AS l
WHERE l.lcp > 2500e6;

-- symptom: scroll jank
-- slices: EventLatency
INCLUDE PERFETTO MODULE chrome.scroll_jank.scroll_jank_v3;
SELECT min(s.ts) AS ts, 0 AS dur, count() || ' frames of scrolls came late' AS name,
  iif(count() > 10, 'severe', 'problem') AS level, CAST(sum(j.delay_since_last_frame) * 1e6 AS INTEGER) AS cost,
  'scroll|' || ifnull(j.cause_of_jank, '') || ifnull(j.sub_cause_of_jank, '') AS key,
  ifnull(j.cause_of_jank, 'unknown') || ifnull(', ' || j.sub_cause_of_jank, '') AS cause
FROM chrome_janky_frames AS j
LEFT JOIN slice AS s ON s.id = j.event_latency_id
GROUP BY j.cause_of_jank, j.sub_cause_of_jank;
