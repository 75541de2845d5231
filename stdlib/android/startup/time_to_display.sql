-- How long a launch took until the app's first frame was drawn, and until the app called itself
-- fully drawn.

INCLUDE PERFETTO MODULE android.frames.timeline;
INCLUDE PERFETTO MODULE android.startup.startups;
INCLUDE PERFETTO MODULE slices.with_context;

-- The processes of a launch: those that are known to have handled it, else those of its name.
CREATE PERFETTO TABLE _startup_apps AS
SELECT s.startup_id, s.ts, p.upid
FROM android_startups AS s
JOIN android_startup_processes AS p USING (startup_id)
WHERE p.upid IS NOT NULL
UNION ALL
SELECT s.startup_id, s.ts, p.upid
FROM android_startups AS s
JOIN process AS p ON p.name GLOB s.package
WHERE s.startup_id NOT IN (SELECT startup_id FROM android_startup_processes WHERE upid IS NOT NULL);

-- The first of the frames (startup_id, upid, startup_ts, frame_id, ts, draw_frame_id) of each
-- launch is shown when its first drawing ends.
CREATE PERFETTO MACRO _first_shown(frames TableOrSubquery) RETURNS TableOrSubquery AS (
  SELECT f.startup_id, f.upid, f.frame_id, s.ts + s.dur - f.startup_ts AS shown_after
  FROM (SELECT * FROM $frames GROUP BY startup_id HAVING min(ts) IS NOT NULL) AS f
  JOIN slice AS s ON s.id = f.draw_frame_id
);

CREATE PERFETTO TABLE _startup_first_frames AS
SELECT *
FROM _first_shown!((
  SELECT a.startup_id, a.upid, a.ts AS startup_ts, f.frame_id, f.ts AS ts, f.draw_frame_id
  FROM _startup_apps AS a
  JOIN android_frames AS f ON f.upid = a.upid AND f.ts >= a.ts
));

-- The app reports itself on its main thread: in the frame that shows it, or before.
CREATE PERFETTO TABLE _startup_full_frames AS
SELECT *
FROM _first_shown!((
  SELECT r.startup_id, r.upid, r.startup_ts, f.frame_id, f.ts AS ts, f.draw_frame_id
  FROM (
    SELECT a.startup_id, a.upid, a.ts AS startup_ts, s.utid, min(s.ts) AS ts
    FROM _startup_apps AS a
    JOIN thread_slice AS s ON s.upid = a.upid AND s.ts >= a.ts
    WHERE s.name GLOB 'reportFullyDrawn*' AND s.is_main_thread
    GROUP BY a.startup_id
  ) AS r
  JOIN android_frames AS f ON f.ui_thread_utid = r.utid AND f.ts + f.dur > r.ts
));

-- One row per launch.
CREATE PERFETTO TABLE android_startup_time_to_display(
  -- The launch (joins android_startups.startup_id).
  startup_id LONG,
  -- From the launch to the end of drawing of the app's first frame, in ns.
  time_to_initial_display LONG,
  -- From the launch to the end of drawing of the frame that is fully drawn by the app's own word,
  -- in ns; NULL without such word.
  time_to_full_display LONG,
  -- The first frame (joins android_frames.frame_id).
  ttid_frame_id LONG,
  -- The fully drawn frame (joins android_frames.frame_id).
  ttfd_frame_id LONG,
  -- The launched process.
  upid JOINID(process.id)
) AS
SELECT s.startup_id, a.shown_after AS time_to_initial_display,
  b.shown_after AS time_to_full_display, a.frame_id AS ttid_frame_id, b.frame_id AS ttfd_frame_id,
  a.upid
FROM android_startups AS s
LEFT JOIN _startup_first_frames AS a USING (startup_id)
LEFT JOIN _startup_full_frames AS b USING (startup_id);
