-- Rules for GPUs, as PyTorch's profiler records them.

-- shared: kernels
CREATE OR REPLACE PERFETTO TABLE _explain_gpu_slices AS
SELECT id, ts, dur, name, category, track_id
FROM slice
WHERE category IN ('kernel', 'gpu_memcpy', 'gpu_memset') AND dur > 0;
CREATE OR REPLACE PERFETTO TABLE _explain_gpu_work AS
SELECT s.id, s.ts, s.ts + s.dur AS ts_end, s.name, s.category, t.upid
FROM _explain_gpu_slices AS s
JOIN thread_track AS k ON k.id = s.track_id
JOIN thread AS t USING (utid);
CREATE OR REPLACE PERFETTO TABLE _explain_kernels AS
SELECT id, ts, ts_end, upid, lag(busy) OVER (PARTITION BY upid ORDER BY ts) AS busy_until
FROM (
  SELECT id, ts, ts_end, upid, max(ts_end) OVER (PARTITION BY upid ORDER BY ts ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS busy
  FROM _explain_gpu_work
);
CREATE OR REPLACE PERFETTO TABLE _explain_gaps AS
SELECT id, upid, busy_until AS ts, ts - busy_until AS dur
FROM _explain_kernels
WHERE ts - busy_until > 50e3;

-- shared: ranks
-- Ranks that come early to a collective wait in its kernel: the one that waits least is late.
CREATE OR REPLACE PERFETTO TABLE _explain_ranks AS
WITH ranks AS (
  SELECT w.*, ifnull(p.name, p.pid) AS rank
  FROM (
    SELECT upid, min(ts) AS ts, max(ts_end) AS ts_end,
      sum(iif(name GLOB '*nccl*Kernel*', ts_end - ts, 0)) AS waited, sum(iif(name GLOB '*nccl*Kernel*', 0, ts_end - ts)) AS worked,
      sum(name GLOB '*nccl*Kernel*') AS times
    FROM _explain_gpu_work
    WHERE category = 'kernel'
    GROUP BY upid
    HAVING times > 0
  ) AS w
  JOIN process AS p USING (upid)
)
SELECT r.*, r.worked > 1.1 * o.worked AS is_slower, o.waited AS usual_wait, o.worked AS usual_work
FROM ranks AS r
JOIN (SELECT count() AS ranks, min(waited) AS least, percentile(waited, 50) AS waited, percentile(worked, 50) AS worked FROM ranks) AS o
WHERE o.ranks > 1 AND r.waited = o.least AND o.waited > 2 * r.waited AND o.waited - r.waited > 1e6;

-- symptom: gaps between kernels
-- needs: flow, slice.category GLOB kernel
-- While a GPU has nothing to do: what the thread did that launched the next kernel. A late rank has a rule of its own.
SELECT g.ts, g.dur, 'nothing to do for ' || ifnull(p.name, 'the GPU ' || p.pid) AS name,
  iif(u.idle > 0.5 * u.span, 'severe', 'problem') AS level, k.utid, 'slice' AS ref, g.id AS ref_id,
  'gap' || g.upid AS part_of
FROM _explain_gaps AS g
JOIN (
  SELECT upid, sum(iif(ts > busy_until, ts - busy_until, 0)) AS idle, max(ts_end) - min(ts) AS span
  FROM _explain_kernels GROUP BY upid HAVING idle > 0.2 * span
) AS u USING (upid)
LEFT JOIN process AS p USING (upid)
JOIN flow AS f ON f.slice_in = g.id
JOIN slice AS launch ON launch.id = f.slice_out
JOIN thread_track AS k ON k.id = launch.track_id
WHERE g.upid NOT IN (SELECT upid FROM _explain_ranks WHERE NOT is_slower)
ORDER BY g.upid, g.dur DESC
LIMIT 1000;

-- symptom: slow rank
-- needs: slice.category GLOB kernel
-- By its kernels.
SELECT r.ts, r.ts_end - r.ts AS dur, r.rank || ' came late to ' || r.times || ' collectives: it waited ' ||
  printf('%.1f ms', r.waited / 1e6) || ' in them, others ' || printf('%.1f ms', r.usual_wait / 1e6) AS name,
  iif(r.usual_wait - r.waited > 0.1 * (r.ts_end - r.ts), 'severe', 'problem') AS level,
  r.usual_wait - r.waited AS cost, r.upid, 'rank|' || r.rank AS key,
  r.rank || ' is slower than the other ranks, which wait for it in collectives: its kernels took ' ||
    printf('%.0f ms, others %.0f ms', r.worked / 1e6, r.usual_work / 1e6) AS cause
FROM _explain_ranks AS r
WHERE r.is_slower;

-- symptom: late rank
-- needs: flow, slice.category GLOB kernel
-- The same where its kernels took no longer: while its GPU had nothing to do, what the thread did that launches.
SELECT g.ts, g.dur, r.rank || ' came late to ' || r.times || ' collectives with nothing to do before' AS name,
  iif(r.usual_wait - r.waited > 0.1 * (r.ts_end - r.ts), 'severe', 'problem') AS level,
  k.utid, 'slice' AS ref, g.id AS ref_id, 'late' || r.upid AS part_of
FROM _explain_ranks AS r
JOIN _explain_gaps AS g USING (upid)
JOIN flow AS f ON f.slice_in = g.id
JOIN slice AS launch ON launch.id = f.slice_out
JOIN thread_track AS k ON k.id = launch.track_id
WHERE NOT r.is_slower
ORDER BY g.dur DESC
LIMIT 1000;

-- symptom: copies that do not overlap
-- needs: slice.category GLOB gpu_memcpy
-- Time in which a GPU only copied.
CREATE OR REPLACE PERFETTO TABLE _explain_copies AS
SELECT ts, ts_end, upid, name, id, category = 'kernel' AS is_kernel,
  max(iif(category = 'kernel', ts_end, NULL)) OVER (PARTITION BY upid ORDER BY ts ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS kernels_until,
  min(iif(category = 'kernel', ts, NULL)) OVER (PARTITION BY upid ORDER BY ts ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING) AS next_kernel
FROM _explain_gpu_work
WHERE category IN ('kernel', 'gpu_memcpy');
SELECT min(c.ts) AS ts, max(c.ts_end) - min(c.ts) AS dur,
  ifnull(p.name, p.pid) || ' only copied (' || c.name || ') ' || count() || ' times' AS name,
  'problem' AS level, sum(c.alone) AS cost, c.upid, 'copy|' || ifnull(p.name, p.pid) || c.name AS key,
  c.name || ' while no kernel ran, ' || printf('%.0f ms', sum(c.alone) / 1e6) || ' in all: pinned memory and a stream of their own let copies overlap' AS cause
FROM (
  SELECT *, max(0, min(ts_end, ifnull(next_kernel, ts_end)) - max(ts, ifnull(kernels_until, ts))) AS alone
  FROM _explain_copies WHERE NOT is_kernel
) AS c
JOIN (SELECT upid, max(ts_end) - min(ts) AS span FROM _explain_copies GROUP BY upid) AS u USING (upid)
LEFT JOIN process AS p ON p.upid = c.upid
GROUP BY c.upid, c.name
HAVING sum(c.alone) > 0.1 * max(u.span) AND sum(c.alone) > 1e6;
