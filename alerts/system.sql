-- Rules for any system.

-- alert: wait for a CPU
-- A long wait for a CPU that idled meanwhile is a gap in the recording.
SELECT w.ts, w.dur, iif(w.dur > 100e6, 'error', 'warning') AS level,
  ifnull(t.name, t.tid) || ifnull(' of ' || p.name, '') AS name,
  t.utid, 'state' AS ref, w.id AS ref_id
FROM (
  SELECT s.id, s.ts, s.dur, s.utid,
    (SELECT n.ucpu FROM thread_state AS n WHERE n.utid = s.utid AND n.ts = s.ts + s.dur) AS ucpu
  FROM thread_state AS s
  WHERE s.state IN ('R', 'R+') AND s.dur > 20e6
  ORDER BY s.dur DESC
  LIMIT 200
) AS w
JOIN thread AS t USING (utid)
LEFT JOIN process AS p USING (upid)
LEFT JOIN process AS parent ON parent.upid = p.parent_upid
WHERE ifnull(parent.pid, 0) != 2 -- no thread of the kernel
  AND w.ucpu IS NOT NULL -- it ran then
  AND w.dur > 2 * (
  SELECT ifnull(sum(min(c.ts + c.dur, w.ts + w.dur) - max(c.ts, w.ts)), 0)
  FROM sched_slice AS c
  JOIN thread AS idle USING (utid)
  WHERE idle.tid = 0 AND c.ucpu = w.ucpu AND c.ts < w.ts + w.dur AND c.ts + c.dur > w.ts
)

-- alert: main thread waits for a disk
SELECT s.ts, s.dur, ifnull(p.name, 'pid ' || p.pid) || ifnull(' in ' || s.blocked_function, '') AS name,
  t.utid, 'state' AS ref, s.id AS ref_id
FROM thread_state AS s
JOIN thread AS t USING (utid)
JOIN process AS p USING (upid)
LEFT JOIN process AS parent ON parent.upid = p.parent_upid
WHERE s.state GLOB 'D*' AND s.io_wait AND t.is_main_thread AND s.dur > 20e6
  AND ifnull(parent.pid, 0) != 2 -- no thread of the kernel

-- alert: data loss
-- level: error
SELECT trace_start() AS ts, 0 AS dur, summary AS name
FROM tptui_loss
WHERE matters AND effect NOT IN ('doubt', 'unshown')
