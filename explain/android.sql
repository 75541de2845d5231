-- Rules for Android.

-- shared: work on frames
CREATE OR REPLACE PERFETTO TABLE _explain_frame_work AS
SELECT id, ts, dur, name, track_id
FROM slice
WHERE name GLOB 'Choreographer#doFrame*' OR name GLOB 'DrawFrames *';

-- symptom: late frame
-- needs: track.type GLOB android_actual_frame_timeline, slice
-- Frames that the app made too late: the longer of what its main thread and its render thread did for them, or what that
-- thread did while the frame lasted where this is more.
CREATE OR REPLACE PERFETTO TABLE _explain_frame_tokens AS
SELECT w.ts, w.dur, k.utid, t.upid, CAST(substr(w.name, instr(w.name, ' ') + 1) AS INTEGER) AS token
FROM _explain_frame_work AS w
JOIN thread_track AS k ON k.id = w.track_id
JOIN thread AS t USING (utid)
WHERE w.name GLOB '* *';
CREATE OR REPLACE PERFETTO INDEX _explain_frame_tokens_of ON _explain_frame_tokens(token);
WITH late AS (
  SELECT f.id, f.ts, f.dur, f.name, f.upid, max(0, f.dur - 16666667) AS cost
  FROM actual_frame_timeline_slice AS f
  WHERE f.jank_type GLOB '*App Deadline Missed*' AND f.dur > 16666667
  ORDER BY cost DESC
  LIMIT 200
), work AS (
  SELECT l.id AS frame, w.ts, w.dur, w.utid, row_number() OVER (PARTITION BY l.id ORDER BY w.dur DESC) AS place
  FROM late AS l
  CROSS JOIN _explain_frame_tokens AS w ON w.token = CAST(l.name AS INTEGER) AND w.upid = l.upid
)
SELECT iif(w.dur > 0.5 * l.dur, w.ts, l.ts) AS ts, iif(w.dur > 0.5 * l.dur, w.dur, l.dur) AS dur, 'frame ' || l.name || ' of ' || ifnull(p.name, p.pid) AS name,
  iif(l.dur > 33e6, 'severe', 'problem') AS level,
  16666667 AS limit_ns, l.cost, w.utid, l.upid, 'slice' AS ref, l.id AS ref_id
FROM late AS l
LEFT JOIN work AS w ON w.frame = l.id AND w.place = 1
LEFT JOIN process AS p ON p.upid = l.upid;

-- symptom: late display
-- needs: track.type GLOB android_actual_frame_timeline, slice
-- Frames that were late for another reason than the app.
SELECT min(f.ts) AS ts, max(f.dur) AS dur, 'frames of ' || ifnull(p.name, 'the display') || ': ' || f.jank_type AS name,
  'note' AS level, sum(max(0, f.dur - 16666667)) AS cost, f.upid, 'slice' AS ref, min(f.id) AS ref_id,
  f.jank_type || ', ' || count() || ' frames' AS cause, 'display|' || f.jank_type AS key
FROM actual_frame_timeline_slice AS f
LEFT JOIN process AS p USING (upid)
WHERE f.jank_type NOT IN ('None', 'Unspecified') AND f.jank_type NOT GLOB '*App Deadline Missed*'
GROUP BY f.upid, f.jank_type;

-- symptom: slow frame
-- needs: slice.name GLOB Choreographer#doFrame*, slice.dur > 16666667
-- lacks: track.type GLOB android_actual_frame_timeline
-- Where nothing is known of frames but how long the main thread worked on each.
SELECT s.ts, s.dur, s.name || ' of ' || coalesce(p.name, t.name, t.tid) AS name,
  iif(s.dur > 33e6, 'severe', 'problem') AS level,
  16666667 AS limit_ns, s.dur - 16666667 AS cost, t.utid, 'slice' AS ref, s.id AS ref_id
FROM _explain_frame_work AS s
JOIN thread_track AS k ON k.id = s.track_id
JOIN thread AS t USING (utid)
LEFT JOIN process AS p USING (upid)
WHERE s.name GLOB 'Choreographer#doFrame*' AND s.dur > 16666667
ORDER BY cost DESC
LIMIT 200;

-- shared: no starts of apps
-- As they are where no slice tells of one, and the module is not needed.
CREATE OR REPLACE PERFETTO TABLE _explain_starts AS
SELECT 0 AS startup_id, 0 AS ts, 0 AS dur, '' AS startup_type, '' AS package
WHERE FALSE;

-- shared: starts of apps
-- needs: slice.name GLOB launching: * | launchingActivity#* | MetricsLogger:launchObserver* | bindApplication | activityStart
INCLUDE PERFETTO MODULE android.startup.startups;
CREATE OR REPLACE PERFETTO TABLE _explain_starts AS
SELECT startup_id, ts, dur, startup_type, package
FROM android_startups;

-- symptom: start of an app
-- needs: slice.name GLOB launching: * | launchingActivity#* | MetricsLogger:launchObserver* | bindApplication | activityStart
SELECT s.ts, s.dur, ifnull(s.startup_type || ' ', '') || 'start of ' || s.package AS name,
  iif(s.dur > 2e9, 'severe', iif(s.dur > 1e9, 'problem', 'note')) AS level,
  1000000000 AS limit_ns, s.dur AS cost,
  (
    SELECT min(t.utid) FROM android_startup_processes AS p JOIN thread AS t USING (upid)
    WHERE p.startup_id = s.startup_id AND t.is_main_thread
  ) AS utid
FROM _explain_starts AS s
ORDER BY s.dur DESC
LIMIT 20;

-- symptom: work in every frame
-- level-waiting: severe
-- needs: slice.name GLOB Choreographer#doFrame*
-- What an app does in each frame that takes a good part of it and is not the framework's own.
CREATE OR REPLACE PERFETTO TABLE _explain_in_frames AS
SELECT s.id, s.ts, s.dur, s.name, s.track_id,
  CASE
    WHEN a.name GLOB 'Choreographer#doFrame*' THEN a.dur
    WHEN b.name GLOB 'Choreographer#doFrame*' THEN b.dur
    ELSE c.dur
  END AS frame_dur
FROM slice AS s
LEFT JOIN slice AS a ON a.id = s.parent_id
LEFT JOIN slice AS b ON b.id = a.parent_id
LEFT JOIN slice AS c ON c.id = b.parent_id
WHERE s.dur > 0 AND s.depth > 0 AND s.track_id IN (SELECT track_id FROM _explain_frame_work)
  AND s.name NOT IN ('traversal', 'animation', 'input', 'measure', 'layout', 'draw', 'commit', 'insets_animation',
    'performTraversals', 'postAndWait', 'Record View#draw()', 'Choreographer#scheduleVsyncLocked', 'syncFrameState')
  AND s.name NOT GLOB 'draw-VRI*' AND s.name NOT GLOB 'relayoutWindow*' AND s.name NOT GLOB 'VRI*'
  AND (
    a.name GLOB 'Choreographer#doFrame*' AND a.dur > 0 OR b.name GLOB 'Choreographer#doFrame*' AND b.dur > 0
    OR c.name GLOB 'Choreographer#doFrame*' AND c.dur > 0
  );
CREATE OR REPLACE PERFETTO TABLE _explain_much_in_frames AS
SELECT name, track_id, count() AS times, sum(dur) AS total, sum(frame_dur) AS frames
FROM _explain_in_frames
GROUP BY name, track_id
HAVING times >= 20 AND total > 0.3 * frames AND total > 50e6;
SELECT s.ts, s.dur, s.name || ' in a frame of ' || ifnull(p.name, t.name) AS name,
  iif(g.total > 0.5 * g.frames, 'problem', 'note') AS level, t.utid, 'slice' AS ref, s.id AS ref_id,
  t.utid || s.name AS part_of
FROM _explain_in_frames AS s
JOIN _explain_much_in_frames AS g USING (name, track_id)
JOIN thread_track AS k ON k.id = s.track_id
JOIN thread AS t ON t.utid = k.utid
LEFT JOIN process AS p USING (upid)
ORDER BY part_of, s.dur DESC
LIMIT 600;

-- symptom: contended lock
-- needs: slice.name GLOB monitor contention* | Lock contention*
SELECT s.ts, s.dur, ifnull(t.name, t.tid) || ' waited for a lock' AS name,
  iif(s.dur > 100e6 OR t.is_main_thread AND s.dur > 16e6, 'severe', 'problem') AS level, t.utid, 'slice' AS ref, s.id AS ref_id
FROM slice AS s
JOIN thread_track AS k ON k.id = s.track_id
JOIN thread AS t USING (utid)
LEFT JOIN slice AS parent ON parent.id = s.parent_id
WHERE (s.name GLOB 'monitor contention*' OR s.name GLOB 'Lock contention*')
  AND ifnull(parent.name, '') NOT GLOB 'monitor contention*'
  AND s.dur > iif(t.is_main_thread, 5e6, 20e6)
ORDER BY s.dur DESC
LIMIT 300;

-- symptom: call of another process
-- needs: slice.name GLOB binder transaction
-- Not of commands, which are made to wait.
SELECT s.ts, s.dur, ifnull(p.name, t.name) || ' waited in ' || ifnull(parent.name || ' > ', '') || s.name AS name,
  iif(s.dur > 100e6, 'severe', 'problem') AS level, t.utid, 'slice' AS ref, s.id AS ref_id
FROM slice AS s
JOIN thread_track AS k ON k.id = s.track_id
JOIN thread AS t USING (utid)
LEFT JOIN process AS p USING (upid)
LEFT JOIN slice AS parent ON parent.id = s.parent_id
WHERE s.name = 'binder transaction' AND t.is_main_thread AND s.dur > 16e6
  AND (p.uid >= 10000 OR p.name IS NULL OR p.name = 'system_server' OR p.name GLOB '[a-z]*.*')
ORDER BY s.dur DESC
LIMIT 200;

-- symptom: not responding
-- level: severe
-- needs: track.name GLOB ErrorId:*
INCLUDE PERFETTO MODULE android.anrs;
SELECT max(trace_start(), a.ts - 5000000000) AS ts, a.ts - max(trace_start(), a.ts - 5000000000) AS dur,
  ifnull(a.process_name, 'pid ' || a.pid) || ' did not respond' || ifnull(': ' || a.subject, '') AS name,
  (SELECT min(t.utid) FROM thread AS t WHERE t.upid = a.upid AND t.is_main_thread) AS utid, a.upid
FROM android_anrs AS a;

-- symptom: garbage collection
-- needs: slice.name GLOB *concurrent*GC | *Alloc*GC | *mark sweep GC | *mark compact GC
-- A process that collects garbage for a good part of the time.
CREATE OR REPLACE PERFETTO TABLE _explain_collections AS
SELECT ts, dur, name, track_id
FROM slice
WHERE name GLOB '*GC' AND dur > 0;
SELECT min(s.ts) AS ts, max(s.ts + s.dur) - min(s.ts) AS dur,
  ifnull(p.name, t.name) || ' collected garbage ' || count() || ' times, ' || printf('%.0f ms', sum(s.dur) / 1e6) || ' in all' AS name,
  iif(sum(s.dur) > 0.2 * r.dur, 'severe', iif(sum(s.dur) > 0.05 * r.dur, 'problem', 'note')) AS level,
  sum(s.dur) AS cost, p.upid, 'gc|' || coalesce(p.name, t.name, '') AS key, '*GC' AS in_slice,
  ifnull(p.name, 'its process') || ' allocates so much that ' || ifnull(t.name, t.tid) || ' collects garbage all the time (' || s.name || ')' || ifnull((
    SELECT '; its busiest other thread: ' || ifnull(o.name, o.tid)
    FROM _explain_ran AS b JOIN thread AS o USING (utid)
    WHERE o.upid = p.upid AND o.utid != t.utid AND b.ran > 0
    ORDER BY b.ran DESC LIMIT 1
  ), '') AS cause
FROM _explain_collections AS s
JOIN thread_track AS k ON k.id = s.track_id
JOIN thread AS t USING (utid)
LEFT JOIN process AS p USING (upid)
JOIN _explain_recorded AS r
WHERE (s.name GLOB '*concurrent*GC' OR s.name GLOB '*Alloc*GC' OR s.name GLOB '*mark sweep GC' OR s.name GLOB '*mark compact GC')
GROUP BY ifnull(p.upid, -t.utid)
HAVING count() >= 5 AND sum(s.dur) > 0.02 * max(r.dur);

-- symptom: low-memory kill
-- level: severe
-- needs: slice.name GLOB lmk?*
-- needs: track.name GLOB kill_one_process
INCLUDE PERFETTO MODULE android.memory.lmk;
CREATE OR REPLACE PERFETTO TABLE _explain_takers AS
SELECT coalesce(p.name, t.name, p.pid) AS process, max(c.value) - min(c.value) AS more
FROM process_counter_track AS k
JOIN counter AS c ON c.track_id = k.id
JOIN process AS p USING (upid)
LEFT JOIN thread AS t ON t.upid = p.upid AND t.is_main_thread
WHERE k.name = 'mem.rss.anon'
GROUP BY p.upid
HAVING more > 50e6
ORDER BY more DESC
LIMIT 1;
SELECT ts, 0 AS dur, ifnull(process_name, 'pid ' || pid) || ' was killed' || ifnull(', ' || nullif(kill_reason, 'UNKNOWN'), '') AS name,
  1000000000 AS cost, upid, 'lmk' AS key,
  'too little memory' || ifnull(': ' || nullif(kill_reason, 'UNKNOWN'), '') || ifnull((
    SELECT ', while ' || process || printf(' took %.0f MB more', more / 1e6) FROM _explain_takers
  ), '') AS cause
FROM android_lmk_events;

-- symptom: regular wake-ups
-- needs: thread_state.waker_utid, process.uid > 9999
-- An app whose main thread a timer wakes in a steady rhythm where nothing is drawn.
-- Its long sleeps, and those that a timer ended.
CREATE OR REPLACE PERFETTO TABLE _explain_long_sleeps AS
SELECT utid, ts, dur
FROM thread_state
WHERE dur > 50000000 AND state = 'S' AND utid IN (
  SELECT t.utid FROM thread AS t JOIN process AS p USING (upid)
  WHERE t.is_main_thread AND p.uid BETWEEN 10000 AND 19999
    AND t.utid NOT IN (SELECT k.utid FROM thread_track AS k WHERE k.id IN (SELECT DISTINCT track_id FROM slice))
);
CREATE OR REPLACE PERFETTO TABLE _explain_timers AS
SELECT s.utid, w.ts, s.dur AS gap
FROM _explain_long_sleeps AS s
CROSS JOIN thread_state AS w ON w.ts = s.ts + s.dur
LEFT JOIN thread AS waker ON waker.utid = w.waker_utid
WHERE w.utid = s.utid AND w.state = 'R' AND (w.irq_context OR waker.tid = 0);
SELECT min(g.ts) AS ts, max(g.ts) - min(g.ts) AS dur,
  ifnull(t.name, t.tid) || ' of ' || p.name || ' was woken by a timer every ' || printf('%.0f ms', avg(g.gap) / 1e6) AS name,
  iif(count() < 5, 'note', 'problem') AS level, count() * 10000000 AS cost, g.utid, p.upid, 'timer|' || p.name AS key,
  'a timer of ' || ifnull(t.name, t.tid) || ', the main thread of ' || p.name || ', every ' || printf('%.0f ms', avg(g.gap) / 1e6) AS cause
FROM _explain_timers AS g
JOIN thread AS t USING (utid)
JOIN process AS p USING (upid)
GROUP BY g.utid, g.gap / 20000000
HAVING count() >= 2 AND max(g.gap) - min(g.gap) < 0.02 * avg(g.gap);

-- symptom: disk on the main thread
-- needs: thread_state.io_wait > 0, process.uid > 9999
-- Waits that are short, but many.
CREATE OR REPLACE PERFETTO TABLE _explain_reads AS
SELECT utid, sum(dur) AS read
FROM thread_state
WHERE io_wait = 1 AND dur > 0 AND state GLOB 'D*'
GROUP BY utid
HAVING read > 50000000;
CREATE OR REPLACE PERFETTO TABLE _explain_readers AS
SELECT t.utid, p.name, b.read
FROM _explain_reads AS b
JOIN _explain_recorded AS r
JOIN thread AS t USING (utid)
JOIN process AS p USING (upid)
WHERE b.read > 0.02 * r.dur AND t.is_main_thread AND p.uid >= 10000;
SELECT s.ts, s.dur, 'the main thread of ' || w.name || ' waited for a disk' AS name,
  iif(w.read > 200e6, 'severe', 'problem') AS level, w.utid, 'state' AS ref, s.id AS ref_id, 'disk' || w.utid AS part_of
FROM _explain_readers AS w
CROSS JOIN thread_state AS s ON s.utid = w.utid
WHERE s.state GLOB 'D*' AND s.io_wait AND s.dur > 0
ORDER BY w.utid, s.dur DESC
LIMIT 500;

-- symptom: crash in the log
-- level: severe
-- needs: logs.prio > 5
-- Fatal lines, and what Java and the activity manager say of crashes and of apps that do not respond.
-- With the exception, and the first of its frames that is not the framework's.
CREATE OR REPLACE PERFETTO TABLE _explain_crashes AS
SELECT id, ts, utid, tag, msg
FROM android_logs
WHERE prio >= 7
  OR prio = 6 AND (tag = 'AndroidRuntime' AND msg GLOB 'FATAL EXCEPTION*' OR tag = 'ActivityManager' AND msg GLOB 'ANR in *')
LIMIT 50;
CREATE OR REPLACE PERFETTO TABLE _explain_crash_lines AS
SELECT c.id AS crash, m.id, trim(m.msg, char(9) || ' ') AS line
FROM _explain_crashes AS c
CROSS JOIN android_logs AS m ON m.id BETWEEN c.id + 1 AND c.id + 40
WHERE m.tag = c.tag AND m.utid IS c.utid AND m.prio = 6 AND m.msg NOT GLOB 'Process: *' AND m.msg NOT GLOB 'FATAL EXCEPTION*';
SELECT c.ts, 0 AS dur, c.tag || ' in the log' AS name, 1000000000 AS cost, c.utid, c.tag || ': ' || c.msg || c.more AS cause,
  'crash|' || c.tag || substr(c.msg, 1, 60) || c.more AS key
FROM (
  SELECT *, ifnull(': ' || (SELECT line FROM _explain_crash_lines AS l WHERE l.crash = o.id AND line NOT GLOB 'at *' ORDER BY l.id LIMIT 1), '') ||
    ifnull(', ' || (
      SELECT line FROM _explain_crash_lines AS l
      WHERE l.crash = o.id AND line GLOB 'at *' AND line NOT GLOB 'at java*.*' AND line NOT GLOB 'at android*.*' AND line NOT GLOB 'at kotlin*.*'
        AND line NOT GLOB 'at com.android.internal.*' AND line NOT GLOB 'at dalvik.*' AND line NOT GLOB 'at libcore.*'
      ORDER BY l.id LIMIT 1
    ), '') AS more
  FROM _explain_crashes AS o
) AS c;

-- symptom: errors in the log
-- level: note
-- needs: logs.prio > 5
-- One that comes again and again.
SELECT min(ts) AS ts, max(ts) - min(ts) AS dur, count() || ' lines of ' || tag || ' in the log' AS name, 0 AS cost,
  'log|' || tag || substr(msg, 1, 30) AS key, tag || ': ' || min(msg) AS cause
FROM android_logs
WHERE prio = 6
GROUP BY tag, substr(msg, 1, 30)
HAVING count() >= 20
ORDER BY count() DESC
LIMIT 5;

-- symptom: long work on the main thread
-- needs: slice.dur > 32000000, process.uid > 9999
-- An app reacts to nothing meanwhile. Frames and starts have rules of their own.
SELECT s.ts, s.dur, s.name || ' on the main thread of ' || p.name AS name,
  iif(s.dur > 200e6, 'severe', 'problem') AS level, 32000000 AS limit_ns, s.dur - 32000000 AS cost,
  t.utid, 'slice' AS ref, s.id AS ref_id, t.utid || s.name AS part_of
FROM _explain_long_slices AS s
JOIN thread_track AS k ON k.id = s.track_id
JOIN thread AS t USING (utid)
JOIN process AS p USING (upid)
WHERE s.dur > 32e6 AND t.is_main_thread AND p.uid >= 10000
  AND s.name NOT GLOB 'Choreographer#*'
  AND NOT EXISTS (SELECT 1 FROM _explain_starts AS u WHERE s.ts BETWEEN u.ts AND u.ts + u.dur)
ORDER BY part_of, s.dur DESC
LIMIT 300;
