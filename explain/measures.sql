-- Numbers by which recordings are compared, and that --fail-if names.

-- measure: frames.p50
-- needs: slice
SELECT percentile(s.dur, 50) / 1e6 AS value
FROM slice AS s
WHERE s.name GLOB 'Choreographer#doFrame*' AND s.dur > 0;

-- measure: frames.p95
-- needs: slice
SELECT percentile(s.dur, 95) / 1e6 AS value
FROM slice AS s
WHERE s.name GLOB 'Choreographer#doFrame*' AND s.dur > 0;

-- measure: frames.late
-- needs: slice
SELECT count() AS value
FROM slice AS s
WHERE s.name GLOB 'Choreographer#doFrame*' AND s.dur > 16666667
HAVING EXISTS (SELECT 1 FROM slice WHERE name GLOB 'Choreographer#doFrame*');

-- measure: startup.longest
-- needs: slice
INCLUDE PERFETTO MODULE android.startup.startups;
SELECT max(dur) / 1e6 AS value
FROM android_startups;

-- measure: cpu.busy
-- needs: sched_slice
SELECT sum(s.dur) / 1e6 AS value
FROM sched_slice AS s
JOIN thread AS t USING (utid)
WHERE t.tid != 0 AND s.dur > 0;

-- measure: cpu.waits
-- needs: thread_state
SELECT sum(dur) / 1e6 AS value
FROM thread_state
WHERE state IN ('R', 'R+') AND dur > 0;

-- measure: disk.waits
-- needs: thread_state
SELECT sum(dur) / 1e6 AS value
FROM thread_state
WHERE state GLOB 'D*' AND ifnull(io_wait, 0) AND dur > 0;

-- measure: memory.rss
-- needs: counter
-- Of the largest process, MiB.
SELECT max(c.value) / 1048576 AS value
FROM counter AS c
JOIN process_counter_track AS k ON k.id = c.track_id
WHERE k.name = 'mem.rss';
