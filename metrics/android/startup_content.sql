-- When apps that are known showed the first of what one starts them for: _content_shown.
INCLUDE PERFETTO MODULE android.startup.startups;

-- The frame that shows it, of the app's UI thread (doFrame) or of its renderer: the one of a number,
-- or one told by a mark, which is an animation, with the name of a thread of its process, or a slice
-- that the app writes itself.
CREATE OR REPLACE PERFETTO TABLE _content_rule AS
SELECT
  column1 AS place, column2 AS app, column3 AS frame, column4 AS number, column5 AS choice,
  column6 AS mark, column7 AS thread
FROM (VALUES
  (1, '*roid.calcul*', 'Choreographer#doFrame*', 2, NULL, NULL, NULL),
  (2, '*id.calendar*', 'DrawFrame*', 5, NULL, NULL, NULL),
  (3, '*GoogleCamera*', 'Choreographer#doFrame*', 2, NULL, NULL, NULL),
  (4, '*chrome*', 'Choreographer#doFrame*', 4, NULL, NULL, NULL),
  (5, '*id.deskclock', 'Choreographer#doFrame*', NULL, 'begins after last end',
    'animator*translationZ', '*id.deskclock'),
  (6, '*id.contacts', 'Choreographer#doFrame*', 3, NULL, NULL, NULL),
  (7, '*id.dialer', 'Choreographer#doFrame*', NULL, 'begins after last end, first launch',
    'animator:*', '*id.dialer'),
  (8, '*ok.katana', 'Choreographer#doFrame*', NULL, 'begins after first', 'fb_startup_complete',
    NULL),
  (9, '*book.orca', 'Choreographer#doFrame*', NULL, 'begins after first',
    'msgr_cold_start_to_cached_content', NULL),
  (10, '*android.gm', 'Choreographer#doFrame*', NULL, 'begins after last end',
    'animator*elevation', '*android.gm'),
  (11, '*gram.android', 'Choreographer#doFrame*', NULL, 'begins after first',
    'ig_cold_start_to_cached_content', NULL),
  (12, '*maps*', 'Choreographer#doFrame*', 8, NULL, NULL, NULL),
  (13, '*apps.messaging*', 'Choreographer#doFrame*', NULL, 'ends after last end',
    'animator*translationZ', '*apps.messaging*'),
  (14, '*lix.mediaclient*', 'Choreographer#doFrame*', NULL, 'last before first begin', 'animator:*',
    '*lix.mediaclient*'),
  (15, '*apps.photos*', 'Choreographer#doFrame*', NULL, 'begins after last end, first launch',
    'animator*translationZ', '*apps.photos'),
  (16, '*napchat.android', 'Choreographer#doFrame*', 1, NULL, NULL, NULL),
  (17, '*tter.android', 'Choreographer#doFrame*', NULL, 'ends after first begin', 'animator*',
    '*tter.android'),
  (18, '*om.whatsapp', 'Choreographer#doFrame*', NULL, 'begins after first',
    'wa_startup_complete', NULL),
  (19, '*id.youtube', 'DrawFrame*', 10, NULL, NULL, NULL)
);

CREATE OR REPLACE PERFETTO TABLE _content_app AS
SELECT l.startup_id, l.ts AS launch_ts, l.package, r.*
FROM android_startups AS l
JOIN _content_rule AS r ON l.package GLOB r.app;

CREATE OR REPLACE PERFETTO TABLE _content_frame AS
SELECT
  a.startup_id,
  a.place,
  s.ts,
  s.ts + s.dur AS ts_end,
  s.ts + s.dur - a.launch_ts AS since_launch,
  row_number() OVER (PARTITION BY a.startup_id, a.place ORDER BY s.ts) AS number
FROM _content_app AS a
JOIN slice AS s ON s.ts > a.launch_ts AND s.name GLOB a.frame
JOIN thread_track AS t ON t.id = s.track_id
JOIN thread USING (utid)
JOIN process AS p USING (upid)
WHERE a.package GLOB '*' || p.name || '*';

CREATE OR REPLACE PERFETTO TABLE _content_mark AS
SELECT
  r.place,
  r.choice,
  min(s.ts) AS first_ts,
  max(s.ts + s.dur) AS last_end,
  (
    SELECT f.ts + f.dur FROM slice AS f WHERE f.name = r.mark ORDER BY f.ts LIMIT 1
  ) AS first_end
FROM _content_rule AS r
JOIN slice AS s ON s.name GLOB r.mark
WHERE r.place IN (SELECT place FROM _content_app)
  AND (
    r.thread IS NULL
    OR EXISTS (
      SELECT 1 FROM process_track AS t JOIN thread AS th USING (upid)
      WHERE t.id = s.track_id AND th.name GLOB r.thread
    )
  )
GROUP BY r.place;

-- A mark counts for all of the trace, so that of several launches of an app one is meant: the first
-- for some apps, for the others the one that its frame is nearest to.
CREATE OR REPLACE PERFETTO TABLE _content_choice AS
SELECT
  f.startup_id,
  f.since_launch,
  row_number() OVER (
    PARTITION BY f.place
    ORDER BY
      iif(m.choice GLOB '*, first launch', f.startup_id, 0),
      iif(m.choice = 'last before first begin', -f.since_launch, f.since_launch)
  ) AS number
FROM _content_frame AS f
JOIN _content_mark AS m USING (place)
WHERE CASE m.choice
  WHEN 'begins after first' THEN f.ts > m.first_end
  WHEN 'ends after last end' THEN f.ts_end > m.last_end
  WHEN 'ends after first begin' THEN f.ts_end > m.first_ts
  WHEN 'last before first begin' THEN f.ts < m.first_ts
  ELSE f.ts > m.last_end
END;

CREATE OR REPLACE PERFETTO VIEW _content_shown AS
SELECT f.startup_id, f.since_launch AS dur
FROM _content_frame AS f
JOIN _content_rule AS r ON r.place = f.place AND r.number = f.number
UNION ALL
SELECT startup_id, since_launch FROM _content_choice WHERE number = 1;
