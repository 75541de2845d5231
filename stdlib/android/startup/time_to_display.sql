-- How long a launch took until the app's first frame was drawn, and until the app called itself
-- fully drawn.

INCLUDE PERFETTO MODULE android.frames.timeline;
INCLUDE PERFETTO MODULE android.startup.startups;

CREATE PERFETTO TABLE _startup_first_frames AS
SELECT p.startup_id, f.upid, f.frame_id, f.draw_ts_end
FROM _startups AS s
JOIN android_startup_processes AS p USING (startup_id)
JOIN _drawn_frames AS f ON f.upid = p.upid AND f.ts > s.ts
GROUP BY p.startup_id
HAVING min(f.ts) IS NOT NULL;

-- The report is made by the app's own call, before the package is launched again.
CREATE PERFETTO TABLE _startup_reports AS
SELECT s.startup_id, p.upid, min(r.ts) AS ts
FROM (
  SELECT *, coalesce(lead(ts) OVER (PARTITION BY package ORDER BY ts), trace_end() + 1) AS next_ts
  FROM _startups
) AS s
JOIN android_startup_processes AS p USING (startup_id)
JOIN thread_slice AS r ON r.upid = p.upid AND r.ts > s.ts AND r.ts < s.next_ts
WHERE r.name GLOB 'reportFullyDrawn*'
GROUP BY s.startup_id;

CREATE PERFETTO TABLE _startup_full_frames AS
SELECT r.startup_id, f.frame_id, f.draw_ts_end
FROM _startup_reports AS r
JOIN _drawn_frames AS f ON f.upid = r.upid AND f.ts >= r.ts
GROUP BY r.startup_id
HAVING min(f.ts) IS NOT NULL;

CREATE PERFETTO TABLE android_startup_time_to_display(
  startup_id LONG, time_to_initial_display LONG, time_to_full_display LONG, ttid_frame_id LONG,
  ttfd_frame_id LONG, upid JOINID(process.id)
) AS
SELECT s.startup_id, a.draw_ts_end - s.ts AS time_to_initial_display,
  b.draw_ts_end - s.ts AS time_to_full_display, a.frame_id AS ttid_frame_id,
  b.frame_id AS ttfd_frame_id, a.upid
FROM _startups AS s
JOIN _startup_first_frames AS a USING (startup_id)
LEFT JOIN _startup_full_frames AS b USING (startup_id);
