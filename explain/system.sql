-- Rules for any system.

-- symptom: slow slice
-- level-unknown: note
-- needs: slice.id > 7, slice.dur > 4000000, track.utid
-- What a thread does again and again, where it took much longer than it mostly does.
-- Not what has rules of its own, and what waits for work or does any: of any length.
CREATE OR REPLACE PERFETTO TABLE _explain_unusual AS
SELECT s.id, s.ts, s.dur, s.track_id, k.utid, s.name
FROM _explain_long_slices AS s
JOIN thread_track AS k ON k.id = s.track_id
WHERE s.name NOT GLOB 'sys_*' AND s.name NOT GLOB 'Choreographer#*' AND s.name NOT GLOB 'DrawFrames*'
  AND s.name NOT GLOB 'Lock contention*' AND s.name NOT GLOB 'monitor contention*' AND s.name NOT GLOB '*nccl*'
  AND lower(s.name) NOT IN ('wait', 'park', 'idle', 'sleep', 'poll', 'select', 'epoll_wait')
  AND ifnull(s.category, '') NOT GLOB '*toplevel*' AND ifnull(s.category, '') NOT IN ('base', 'sequence_manager')
  AND s.name NOT GLOB '*RunTask' AND s.name NOT GLOB 'Run*PriorityTask' AND s.name NOT IN ('BlinkTaskScope', 'LatencyInfo.Flow',
    'Scheduler::RunNextTask', 'ThreadController active', 'WorkerThread active');
CREATE OR REPLACE PERFETTO INDEX _explain_unusual_names ON _explain_unusual(name, track_id);
CREATE OR REPLACE PERFETTO TABLE _explain_usual AS
SELECT s.track_id, s.name, count() AS times, percentile(s.dur, 50) AS usual
FROM slice AS s
WHERE s.depth = 0 AND s.dur > 0 AND s.name IN (SELECT name FROM _explain_unusual)
GROUP BY s.track_id, s.name
HAVING times >= 8;
SELECT s.ts, s.dur, s.name || ' on ' || ifnull(t.name, t.tid) || ', usually ' || printf('%.1f ms', u.usual / 1e6) AS name,
  -- Without scheduling it is not known whether a thread of many worked or waited for work.
  iif(s.dur - u.usual < 8e6, 'note', iif(
    s.dur > 5 * u.usual AND s.dur - u.usual > 20e6 AND (t.is_main_thread OR EXISTS (SELECT 1 FROM sched_slice)), 'severe', 'problem'
  )) AS level,
  s.dur - u.usual AS cost, s.utid, 'slice' AS ref, s.id AS ref_id
FROM _explain_usual AS u
CROSS JOIN _explain_unusual AS s ON s.name = u.name AND s.track_id = u.track_id
JOIN thread AS t ON t.utid = s.utid
WHERE s.dur > 3 * u.usual AND s.dur - u.usual > 4e6
  AND NOT EXISTS (
    SELECT 1 FROM slice AS c
    WHERE c.parent_id = s.id AND c.dur > s.dur / 2 AND (c.name GLOB 'Lock contention*' OR c.name GLOB 'monitor contention*')
  )
ORDER BY cost DESC
LIMIT 300;

-- symptom: wait for a CPU
-- level-unknown: note
-- needs: thread_state.dur > 8000000
-- Threads that waited for a CPU for much of the time that they wanted one; not those of the kernel.
CREATE OR REPLACE PERFETTO TABLE _explain_long_waits AS
SELECT id, ts, dur, utid
FROM thread_state
WHERE dur > 8000000 AND state IN ('R', 'R+') AND ts + dur < trace_end();
CREATE OR REPLACE PERFETTO TABLE _explain_waited AS
SELECT utid, sum(dur) AS waited
FROM thread_state
WHERE state IN ('R', 'R+') AND dur > 0 AND utid IN (SELECT utid FROM _explain_long_waits)
GROUP BY utid
HAVING waited > 50000000;
SELECT s.ts, s.dur, ifnull(t.name, t.tid) || ' waited for a CPU' AS name,
  iif(s.dur > 100e6, 'severe', iif(s.dur > 20e6, 'problem', 'note')) AS level,
  t.utid, 'state' AS ref, s.id AS ref_id
FROM _explain_long_waits AS s
JOIN _explain_waited AS w USING (utid)
LEFT JOIN _explain_ran AS b USING (utid)
JOIN thread AS t USING (utid)
WHERE w.waited > 0.2 * (w.waited + ifnull(b.ran, 0))
  AND s.utid NOT IN (SELECT utid FROM _explain_kernel_threads)
ORDER BY s.dur DESC
LIMIT 200;

-- symptom: wait for a disk
-- needs: thread_state.io_wait > 0
SELECT s.ts, s.dur, ifnull(t.name, t.tid) || ' waited for a disk' || ifnull(' in ' || s.blocked_function, '') AS name,
  iif(s.dur > 200e6 AND t.is_main_thread, 'severe', iif(s.dur > 50e6, 'problem', 'note')) AS level,
  t.utid, 'state' AS ref, s.id AS ref_id
FROM _explain_blocked AS s
JOIN thread AS t USING (utid)
WHERE s.io_wait
ORDER BY s.dur DESC
LIMIT 200;

-- symptom: blocked in the kernel
-- level-unknown: note
-- needs: thread_state.state GLOB D*
SELECT s.ts, s.dur, ifnull(t.name, t.tid) || ' was blocked in the kernel' || ifnull(', in ' || s.blocked_function, '') AS name,
  iif(s.dur > 20e6, 'problem', 'note') AS level,
  t.utid, 'state' AS ref, s.id AS ref_id
FROM _explain_blocked AS s
JOIN thread AS t USING (utid)
WHERE NOT s.io_wait AND s.dur > 10e6
ORDER BY s.dur DESC
LIMIT 200;

-- symptom: interrupts
-- needs: track.type GLOB cpu_irq | cpu_softirq, slice
-- A CPU that spends a good part of its time in interrupts.
CREATE OR REPLACE PERFETTO TABLE _explain_irqs AS
SELECT track_id, name, count() AS times, sum(dur) AS total, min(ts) AS ts, max(ts + dur) AS ts_end
FROM slice
WHERE dur > 0 AND track_id IN (SELECT id FROM cpu_track WHERE type IN ('cpu_irq', 'cpu_softirq'))
GROUP BY track_id, name
HAVING total > 20e6;
SELECT min(s.ts) AS ts, max(s.ts_end) - min(s.ts) AS dur,
  'CPU ' || k.cpu || ' was in ' || s.name || ' for ' || printf('%.0f %%', 100.0 * sum(s.total) / r.dur) || ' of the time' AS name,
  iif(sum(s.total) > 0.2 * r.dur, 'severe', 'problem') AS level,
  sum(s.total) AS cost, 'irq||' || s.name AS key,
  'the interrupt ' || s.name || ', ' || sum(s.times) || ' times on CPU ' || k.cpu AS cause
FROM _explain_irqs AS s
JOIN cpu_track AS k ON k.id = s.track_id
JOIN _explain_recorded AS r
GROUP BY k.cpu, s.name
HAVING sum(s.total) > 0.05 * max(r.dur);

-- symptom: new threads
-- needs: thread.start_ts, thread.id > 20
-- A process that makes threads all the time.
SELECT min(t.start_ts) AS ts, max(t.start_ts) - min(t.start_ts) AS dur,
  count() || ' threads of ' || ifnull(p.name, p.pid) || ' began, ' || count(t.end_ts) || ' ended' AS name,
  iif(count() > 100 AND count() > 20 * r.dur / 1e9, 'severe', 'problem') AS level,
  count() * 1000000 AS cost, p.upid, 'threads|' || ifnull(p.name, p.pid) AS key,
  ifnull(p.name, p.pid) || ' makes threads (' || count() || ', most of them called ' || (
    SELECT ifnull(n.name, '?') FROM thread AS n
    WHERE n.upid = p.upid AND n.start_ts IS NOT NULL GROUP BY n.name ORDER BY count() DESC LIMIT 1
  ) || '); a pool would keep some' AS cause
FROM thread AS t
JOIN process AS p USING (upid)
JOIN _explain_recorded AS r
WHERE t.start_ts IS NOT NULL AND NOT ifnull(t.is_main_thread, 0)
GROUP BY p.upid
HAVING count() > 20 AND count() > 2 * max(r.dur) / 1e9;

-- symptom: reclaim
-- needs: slice.name GLOB mm_vmscan_direct_reclaim | mm_vmscan_memcg_reclaim
SELECT s.ts, s.dur, ifnull(t.name, t.tid) || ' had to free memory' AS name, t.utid, 'slice' AS ref, s.id AS ref_id,
  iif(s.dur > 20e6, 'severe', 'problem') AS level, 'reclaim' AS key, 'mm_vmscan_*_reclaim' AS in_slice,
  'there was no memory left, so that threads had to free some themselves (direct reclaim)' AS cause
FROM slice AS s
JOIN thread_track AS k ON k.id = s.track_id
JOIN thread AS t USING (utid)
WHERE s.name IN ('mm_vmscan_direct_reclaim', 'mm_vmscan_memcg_reclaim') AND s.dur > 2e6
ORDER BY s.dur DESC
LIMIT 100;

-- symptom: busy thread
-- needs: sched_slice
-- if: SELECT trace_dur() > 500000000
-- One that had a CPU for most of the recording; more than a note where it is an app's.
CREATE OR REPLACE PERFETTO TABLE _explain_busy AS
SELECT b.utid, b.ran, r.dur
FROM _explain_ran AS b
JOIN _explain_recorded AS r
JOIN thread AS t USING (utid)
WHERE b.ran > 0.4 * r.dur AND b.ran > 500000000 AND t.tid != 0;
CREATE OR REPLACE PERFETTO TABLE _explain_busy_times AS
SELECT utid, min(ts) AS ts, max(ts + dur) AS ts_end
FROM thread_state
WHERE dur > 0 AND utid IN (SELECT utid FROM _explain_busy)
GROUP BY utid;
SELECT s.ts, s.ts_end - s.ts AS dur,
  ifnull(t.name, t.tid) || ifnull(' of ' || p.name, '') || ' ran for ' || printf('%.0f %%', 100.0 * b.ran / b.dur) || ' of the time' AS name,
  iif(p.uid >= 10000, 'problem', 'note') AS level,
  b.ran AS cost, t.utid
FROM _explain_busy AS b
JOIN _explain_busy_times AS s USING (utid)
JOIN thread AS t USING (utid)
LEFT JOIN process AS p USING (upid)
ORDER BY cost DESC
LIMIT 20;

-- symptom: slow system call
-- needs: slice.dur > 20000000, slice.category GLOB strace
-- needs: slice.dur > 20000000, slice.name GLOB sys_*
-- But those that are made to wait.
SELECT s.ts, s.dur, s.name || ' of ' || ifnull(t.name, t.tid) AS name,
  iif(s.dur > 100e6, 'problem', 'note') AS level, t.utid, 'slice' AS ref, s.id AS ref_id
FROM slice AS s
JOIN thread_track AS k ON k.id = s.track_id
JOIN thread AS t USING (utid)
WHERE (s.category = 'strace' OR s.name GLOB 'sys_*') AND s.dur > 20e6
  AND replace(replace(s.name, 'sys_', ''), '_time64', '') NOT IN ('poll', 'ppoll', 'select', 'pselect6', 'epoll_wait', 'epoll_pwait', 'futex', 'nanosleep',
    'clock_nanosleep', 'wait4', 'waitid', 'waitpid', 'pause', 'rt_sigsuspend', 'rt_sigtimedwait', 'accept', 'accept4', 'io_getevents',
    'io_uring_enter', 'restart_syscall', 'sigsuspend', '202', '230', '232', '281', '7', '23', '270', '271', '35', '61', '34', '43', '288')
ORDER BY s.dur DESC
LIMIT 200;
