-- Rules for Chrome.

-- alert: long task
SELECT s.ts, s.dur, iif(s.dur > 200e6, 'error', 'warning') AS level,
  ifnull(t.name, t.tid) || ' of ' || ifnull(p.name, p.pid) || ' was busy with one task' AS name,
  t.utid, 'slice' AS ref, s.id AS ref_id
FROM slice AS s
JOIN thread_track AS k ON k.id = s.track_id
JOIN thread AS t USING (utid)
LEFT JOIN process AS p USING (upid)
WHERE s.dur > 50e6
  AND s.name IN ('ThreadControllerImpl::RunTask', 'ThreadPool_RunTask', 'RunTask', 'TaskGraphRunner::RunTask')
  AND (t.is_main_thread OR t.name IN ('CrRendererMain', 'CrBrowserMain', 'VizCompositorThread', 'CrGpuMain'))
