-- Rules for Android. A rule begins with "-- alert:" and its name; tptui's docs/SQL.md says more.

-- alert: binder call on the main thread
SELECT s.ts, s.dur, iif(s.dur > 100e6, 'error', 'warning') AS level,
  ifnull(p.name, t.name) || ' waited in ' || ifnull(parent.name || ' > ', '') || s.name AS name,
  t.utid, 'slice' AS ref, s.id AS ref_id
FROM slice AS s
JOIN thread_track AS k ON k.id = s.track_id
JOIN thread AS t USING (utid)
LEFT JOIN process AS p USING (upid)
LEFT JOIN slice AS parent ON parent.id = s.parent_id
WHERE s.name = 'binder transaction' AND t.is_main_thread AND s.dur > 16e6

-- alert: lock contention
SELECT s.ts, s.dur, iif(s.dur > 100e6 AND t.is_main_thread, 'error', 'warning') AS level,
  ifnull(t.name, t.tid) || ' ' || s.name AS name,
  t.utid, 'slice' AS ref, s.id AS ref_id
FROM slice AS s
JOIN thread_track AS k ON k.id = s.track_id
JOIN thread AS t USING (utid)
WHERE (s.name GLOB 'monitor contention*' OR s.name GLOB 'Lock contention*')
  AND s.dur > iif(t.is_main_thread, 5e6, 20e6)

-- alert: dropped frame
-- level: error
SELECT f.ts, f.dur, ifnull(p.name, 'display') || ' frame ' || f.display_frame_token AS name,
  p.upid, 'slice' AS ref, f.id AS ref_id
FROM actual_frame_timeline_slice AS f
LEFT JOIN process AS p USING (upid)
WHERE f.present_type = 'Dropped Frame'

-- alert: late frame
SELECT f.ts, f.dur,
  iif(f.jank_tag GLOB '* Stuffing' OR f.jank_tag = 'Non-perceivable Jank', 'info', 'warning') AS level,
  ifnull(p.name, 'display') || ' ' || f.jank_type || ', frame ' || f.display_frame_token AS name,
  p.upid, 'slice' AS ref, f.id AS ref_id
FROM actual_frame_timeline_slice AS f
LEFT JOIN process AS p USING (upid)
WHERE f.jank_type NOT IN ('None', 'Unspecified') AND f.present_type != 'Dropped Frame'

-- alert: slow frame
-- Where nothing is known of frames but how long the main thread worked on each.
SELECT s.ts, s.dur, iif(s.dur > 100e6, 'error', 'warning') AS level,
  ifnull(p.name, t.name) || ' ' || s.name AS name,
  t.utid, 'slice' AS ref, s.id AS ref_id
FROM slice AS s
JOIN thread_track AS k ON k.id = s.track_id
JOIN thread AS t USING (utid)
LEFT JOIN process AS p USING (upid)
WHERE s.name GLOB 'Choreographer#doFrame*' AND s.dur > 33e6
  AND NOT EXISTS (SELECT 1 FROM actual_frame_timeline_slice)

-- alert: low-memory kill
-- level: error
INCLUDE PERFETTO MODULE android.memory.lmk;
SELECT ts, 0 AS dur, ifnull(process_name, 'pid ' || pid) || ifnull(', ' || kill_reason, '') AS name, upid
FROM android_lmk_events

-- alert: not responding
-- level: error
INCLUDE PERFETTO MODULE android.anrs;
SELECT ts, 0 AS dur, ifnull(process_name, 'pid ' || pid) || ifnull(': ' || subject, '') AS name, upid
FROM android_anrs

-- alert: crash in the log
-- level: error
SELECT ts, 0 AS dur, tag || ': ' || msg AS name, utid
FROM android_logs
WHERE prio >= 7
