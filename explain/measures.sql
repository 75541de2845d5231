-- Numbers by which recordings are compared, those that --fail-if names first.

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

-- times: states
-- needs: thread_state
-- Of threads by name; a sleep is none, as more of it is mostly less work.
CREATE OR REPLACE PERFETTO TABLE _explain_state_sums AS
SELECT utid, state, io_wait, sum(dur) AS dur
FROM thread_state
WHERE dur > 0 AND state != 'S'
GROUP BY utid, state, io_wait;
SELECT ifnull(t.name, t.tid) || ifnull(' of ' || p.name, '') || ' ' || CASE
    WHEN s.state = 'Running' THEN 'ran'
    WHEN s.state IN ('R', 'R+') THEN 'waited for a CPU'
    WHEN s.state GLOB 'D*' AND s.io_wait THEN 'waited for a disk'
    WHEN s.state GLOB 'D*' THEN 'was blocked in the kernel'
  END AS name, sum(s.dur) AS value
FROM _explain_state_sums AS s
JOIN thread AS t USING (utid)
LEFT JOIN process AS p USING (upid)
WHERE t.tid != 0 AND s.state IN ('Running', 'R', 'R+', 'D', 'DK')
GROUP BY 1
HAVING value > 1000000
ORDER BY value DESC
LIMIT 500;

-- times: slices
-- needs: track.utid, slice
-- Of threads by name, with what lies in them.
CREATE OR REPLACE PERFETTO TABLE _explain_slice_sums AS
SELECT track_id, rtrim(name, '0123456789 ') AS name, sum(dur) AS dur
FROM slice
WHERE dur > 0
GROUP BY track_id, rtrim(name, '0123456789 ');
SELECT '`' || s.name || '` of ' || ifnull(t.name, t.tid) || ifnull(' of ' || p.name, '') AS name, sum(s.dur) AS value
FROM _explain_slice_sums AS s
JOIN thread_track AS k ON k.id = s.track_id
JOIN thread AS t USING (utid)
LEFT JOIN process AS p USING (upid)
GROUP BY 1
HAVING value > 1000000
ORDER BY value DESC
LIMIT 500;
