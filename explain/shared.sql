-- What several rules read.

-- shared: what was recorded
-- Clocks may be told of at 0, long before all else.
CREATE OR REPLACE PERFETTO TABLE _explain_recorded AS
WITH ends AS (
  SELECT * FROM (SELECT ts FROM sched_slice ORDER BY ts LIMIT 1)
  UNION ALL SELECT * FROM (SELECT ts FROM slice ORDER BY ts LIMIT 1)
  UNION ALL SELECT * FROM (SELECT ts FROM counter ORDER BY ts LIMIT 1)
)
SELECT max(ifnull(min(ts), trace_start()), trace_start()) AS ts,
  max(1, trace_end() - max(ifnull(min(ts), trace_start()), trace_start())) AS dur
FROM ends;

-- shared: threads of the kernel
-- Where no process tells, by the names that they have there.
CREATE OR REPLACE PERFETTO TABLE _explain_kernel_threads AS
SELECT t.utid
FROM thread AS t
LEFT JOIN process AS p USING (upid)
LEFT JOIN process AS parent ON parent.upid = p.parent_upid
WHERE t.tid IN (0, 2) OR parent.pid = 2
  OR p.name IS NULL AND (
    t.name GLOB '[a-z]*/[0-9]*' OR t.name GLOB 'kworker/*' OR t.name GLOB 'jbd2/*' OR t.name GLOB 'mmcqd*' OR t.name GLOB 'irq/*'
    OR t.name GLOB 'kswapd*' OR t.name GLOB 'rcu_*' OR t.name GLOB 'rcuo*' OR t.name GLOB 'f2fs_*' OR t.name GLOB 'dmcrypt*'
    OR t.name GLOB 'kverity*' OR t.name IN ('usb-storage', 'khugepaged', 'kcompactd0', 'kthreadd', 'kauditd', 'khungtaskd')
  );

-- shared: long slices
-- The outermost ones. Here and elsewhere rows are left out first, then joined: all rows of a large table are many.
CREATE OR REPLACE PERFETTO TABLE _explain_long_slices AS
SELECT id, ts, dur, track_id, name, category
FROM slice
WHERE depth = 0 AND dur > 4000000;

-- shared: long waits in the kernel
CREATE OR REPLACE PERFETTO TABLE _explain_blocked AS
SELECT id, ts, dur, utid, ifnull(io_wait, 0) AS io_wait, blocked_function
FROM thread_state
WHERE state GLOB 'D*' AND dur > 5000000 AND utid NOT IN (SELECT utid FROM _explain_kernel_threads);

-- shared: how long threads ran
CREATE OR REPLACE PERFETTO TABLE _explain_ran AS
SELECT utid, sum(dur) AS ran
FROM sched_slice
GROUP BY utid;
