-- Rules for Chrome.

-- symptom: long task
-- needs: slice.dur > 50000000, slice.name GLOB *RunTask | Run*PriorityTask | BlinkTaskScope | Scheduler::RunNextTask
SELECT s.ts, s.dur, 'a task of ' || ifnull(t.name, t.tid) || ' of ' || ifnull(p.name, p.pid) AS name,
  iif(s.dur > 200e6, 'severe', 'problem') AS level,
  50000000 AS limit_ns, s.dur - 50000000 AS cost, t.utid, 'slice' AS ref, s.id AS ref_id
FROM _explain_long_slices AS s
JOIN thread_track AS k ON k.id = s.track_id
JOIN thread AS t USING (utid)
LEFT JOIN process AS p USING (upid)
WHERE s.dur > 50e6
  AND s.name IN ('ThreadControllerImpl::RunTask', 'ThreadPool_RunTask', 'RunTask', 'TaskGraphRunner::RunTask',
    'RunNormalPriorityTask', 'RunHighPriorityTask', 'RunVeryHighPriorityTask', 'RunHighestPriorityTask', 'BlinkTaskScope',
    'Scheduler::RunNextTask')
  AND (t.is_main_thread OR t.name IN ('CrRendererMain', 'CrBrowserMain', 'VizCompositorThread', 'CrGpuMain', 'Compositor'))
ORDER BY cost DESC
LIMIT 200;

-- symptom: late reaction to input
-- needs: slice.name GLOB Web Interaction
INCLUDE PERFETTO MODULE chrome.web_content_interactions;
SELECT i.ts, i.dur, i.interaction_type || ' until the next paint' AS name,
  iif(i.dur > 500e6, 'severe', 'problem') AS level, 200000000 AS limit_ns, i.dur - 200000000 AS cost,
  (SELECT min(t.utid) FROM thread AS t WHERE t.upid = i.renderer_upid AND t.name = 'CrRendererMain') AS utid
FROM chrome_web_content_interactions AS i
WHERE i.dur > 200e6
ORDER BY cost DESC
LIMIT 50;

-- symptom: late largest paint
-- needs: slice.name GLOB PageLoadMetrics.*
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
-- needs: slice.name GLOB EventLatency
-- Late frames of scrolls: the stage that took longer than before, on the thread that did most of those that it may wait for.
INCLUDE PERFETTO MODULE chrome.scroll_jank.scroll_jank_v3;
CREATE OR REPLACE PERFETTO TABLE _explain_late_scrolls AS
SELECT j.event_latency_id AS id, s.ts, s.dur, s.name AS stage, k.upid,
  CAST((j.delay_since_last_frame - j.vsync_interval) * 1e6 AS INTEGER) AS cost
FROM chrome_janky_frames_no_subcause AS j
LEFT JOIN slice AS s ON s.id = ifnull(j.cause_id, j.event_latency_id)
LEFT JOIN process_track AS k ON k.id = s.track_id
ORDER BY cost DESC
LIMIT 200;
CREATE OR REPLACE PERFETTO TABLE _explain_stage_threads AS
SELECT column1 AS stages, column2 AS thread
FROM (VALUES
  ('*ToBrowserMain', 'CrBrowserMain'), ('*ToRendererCompositor', 'CrBrowserMain'), ('*ToRendererCompositor', 'Compositor'),
  ('RendererCompositor*', 'Compositor'), ('RendererCompositor*', 'CrRendererMain'), ('RendererMain*', 'CrRendererMain'),
  ('RendererCompositorQueueingDelay', 'VizCompositorThread'), ('EndActivate*', 'Compositor'), ('EndActivate*', 'CrGpuMain'),
  ('Submit*', 'VizCompositorThread'), ('Submit*', 'CrGpuMain'), ('Submit*', 'CrBrowserMain')
);
CREATE OR REPLACE PERFETTO TABLE _explain_browser_work AS
SELECT t.utid, t.upid, t.name AS thread, s.ts, s.dur
FROM thread AS t
JOIN thread_track AS k USING (utid)
JOIN slice AS s ON s.track_id = k.id
WHERE s.depth = 0 AND s.dur > 0 AND t.name IN (SELECT thread FROM _explain_stage_threads);
CREATE OR REPLACE PERFETTO INDEX _explain_browser_work_times ON _explain_browser_work(thread, ts);
WITH work AS (
  SELECT l.id, w.utid, sum(min(w.ts + w.dur, l.ts + l.dur) - max(w.ts, l.ts)) AS ns
  FROM _explain_late_scrolls AS l
  JOIN _explain_stage_threads AS g ON l.stage GLOB g.stages
  CROSS JOIN _explain_browser_work AS w ON w.thread = g.thread AND w.ts BETWEEN l.ts - 2000000000 AND l.ts + l.dur
  WHERE w.ts + w.dur > l.ts AND (w.thread NOT IN ('CrRendererMain', 'Compositor') OR w.upid = l.upid)
  GROUP BY l.id, w.utid
), busiest AS (
  SELECT id, utid, row_number() OVER (PARTITION BY id ORDER BY ns DESC) AS place FROM work
)
SELECT l.ts, l.dur, 'a frame of a scroll that came ' || printf('%.0f ms', l.cost / 1e6) || ' late, in ' || l.stage AS name,
  iif(l.cost > 100e6 OR count() OVER (PARTITION BY b.utid, l.stage) > 10, 'severe', 'problem') AS level,
  l.cost, b.utid, 'slice' AS ref, l.id AS ref_id,
  iif(b.utid IS NULL, 'the stage ' || l.stage, NULL) AS cause, iif(b.utid IS NULL, 'scroll|' || l.stage, NULL) AS key
FROM _explain_late_scrolls AS l
LEFT JOIN busiest AS b ON b.id = l.id AND b.place = 1
ORDER BY l.cost DESC;
