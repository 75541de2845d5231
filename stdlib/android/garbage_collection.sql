-- Garbage collections of the Android runtime: heap sizes around them, and what their threads did.

INCLUDE PERFETTO MODULE android.breakdown;
INCLUDE PERFETTO MODULE android.startup.startups;
INCLUDE PERFETTO MODULE intervals.intersect;
INCLUDE PERFETTO MODULE slices.with_context;

CREATE PERFETTO TABLE _collections AS
SELECT id, name, ts, iif(dur < 0, trace_end() - ts, dur) AS dur, utid, tid, thread_name, upid, pid,
  process_name, coalesce(lead(ts) OVER (PARTITION BY upid ORDER BY ts), trace_end() + 1) AS next_ts
FROM thread_slice
WHERE name GLOB '*concurrent*GC' AND depth = 0;

-- The heap's sizes during a collection and the first one after it: that is what it left.
CREATE PERFETTO TABLE _collection_heaps AS
WITH sizes AS (
  SELECT t.upid, c.ts, c.value / 1e3 AS size_mb,
    coalesce(lead(c.ts) OVER by_track, trace_end() + 1) AS next_ts,
    coalesce(lag(c.ts) OVER by_track, 0) AS previous_ts
  FROM process_counter_track AS t
  JOIN counter AS c ON c.track_id = t.id
  WHERE t.name = 'Heap size (KB)'
  WINDOW by_track AS (PARTITION BY c.track_id ORDER BY c.ts)
)
SELECT g.id, min(s.size_mb) AS min_mb, max(s.size_mb) AS max_mb
FROM _collections AS g
JOIN sizes AS s ON s.upid = g.upid AND s.next_ts > g.ts AND (s.ts < g.ts + g.dur
  OR s.ts < g.next_ts AND s.previous_ts < g.ts + g.dur)
GROUP BY g.id;

CREATE PERFETTO TABLE _collection_states AS
SELECT o.id AS id,
  sum(iif(t.state = 'Running', o.dur, 0)) AS running,
  sum(iif(t.state IN ('R', 'R+'), o.dur, 0)) AS runnable,
  sum(iif(t.state = 'D' AND t.io_wait, o.dur, 0)) AS io,
  sum(iif(t.state = 'D' AND NOT coalesce(t.io_wait, FALSE), o.dur, 0)) AS non_io,
  sum(iif(t.state = 'S', o.dur, 0)) AS interruptible
FROM _thread_states_within!(_collections) AS o
JOIN thread_state AS t ON t.id = o.thread_state_id
GROUP BY o.id;

-- One row per garbage collection.
CREATE PERFETTO TABLE android_garbage_collection_events(
  -- Tid of the thread that collected.
  tid LONG,
  -- Pid of the process.
  pid LONG,
  -- The thread that collected.
  utid JOINID(thread.id),
  -- The process whose heap was collected.
  upid JOINID(process.id),
  -- Name of the thread, most often HeapTaskDaemon.
  thread_name STRING,
  -- Name of the process.
  process_name STRING,
  -- `young`, `full`, `alloc`, `native_alloc`, `explicit` or `collector_transition`, by the slice's
  -- name.
  gc_type STRING,
  -- 1 if the collector compacted (CMC), else 0 (concurrent copying).
  is_mark_compact LONG,
  -- `max_heap_mb` less `min_heap_mb`.
  reclaimed_mb DOUBLE,
  -- Smallest size of the heap in MB, from the beginning to the first size known after the end.
  min_heap_mb DOUBLE,
  -- Largest size of the heap in MB, over the same time as `min_heap_mb`.
  max_heap_mb DOUBLE,
  -- Slice of the collection (joins slice.id).
  gc_id LONG,
  -- When the collection began.
  gc_ts TIMESTAMP,
  -- How long the collection lasted, up to the end of the trace if it did not end.
  gc_dur DURATION,
  -- Time that the collecting thread ran.
  gc_running_dur DURATION,
  -- Time that the collecting thread waited for a CPU.
  gc_runnable_dur DURATION,
  -- Time of the collecting thread in uninterruptible sleep for I/O.
  gc_unint_io_dur DURATION,
  -- Time of the collecting thread in uninterruptible sleep for other reasons.
  gc_unint_non_io_dur DURATION,
  -- Time of the collecting thread in interruptible sleep, in ns.
  gc_int_dur LONG
) AS
SELECT g.tid, g.pid, g.utid, g.upid, g.thread_name, g.process_name,
  CASE
    WHEN g.name GLOB '*NativeAlloc*' THEN 'native_alloc'
    WHEN g.name GLOB '*Alloc*' THEN 'alloc'
    WHEN g.name GLOB '*young*' THEN 'young'
    WHEN g.name GLOB '*CollectorTransition*' THEN 'collector_transition'
    WHEN g.name GLOB '*Explicit*' THEN 'explicit'
    ELSE 'full'
  END AS gc_type,
  g.name GLOB '*mark compact*' AS is_mark_compact, h.max_mb - h.min_mb AS reclaimed_mb,
  h.min_mb AS min_heap_mb, h.max_mb AS max_heap_mb, g.id AS gc_id, g.ts AS gc_ts, g.dur AS gc_dur,
  s.running AS gc_running_dur, s.runnable AS gc_runnable_dur, s.io AS gc_unint_io_dur,
  s.non_io AS gc_unint_non_io_dur, s.interruptible AS gc_int_dur
FROM _collections AS g
LEFT JOIN _collection_heaps AS h ON h.id = g.id
LEFT JOIN _collection_states AS s ON s.id = g.id
ORDER BY g.ts;

-- What collecting costs and gains over the time for which sizes of heaps are known.
CREATE PERFETTO TABLE _heap_samples AS
SELECT t.upid, c.ts, c.value, c.ts - lag(c.ts) OVER by_process AS dur,
  max(coalesce(c.value - lag(c.value) OVER by_process, 0), 0) AS grown
FROM process_counter_track AS t
JOIN counter AS c ON c.track_id = t.id
WHERE t.name = 'Heap size (KB)'
WINDOW by_process AS (PARTITION BY t.upid ORDER BY c.ts);

CREATE PERFETTO TABLE _heap_time AS
SELECT min(ts) AS ts, max(ts) - min(ts) AS dur FROM _heap_samples;

CREATE PERFETTO TABLE _collections_within_startups AS
SELECT g.upid, sum(o.dur) AS dur
FROM _interval_intersect!(
  (
    (SELECT startup_id AS id, ts, dur FROM android_startups WHERE dur > 0),
    (SELECT gc_id AS id, gc_ts AS ts, gc_dur AS dur FROM android_garbage_collection_events)
  ),
  ()) AS o
JOIN android_garbage_collection_events AS g ON g.gc_id = o.id_1
GROUP BY g.upid;

-- How full heaps are between a collection's end and the end of the one before; the first one counts
-- from the start of the process or of the samples. In megabyte-seconds.
CREATE PERFETTO TABLE _heap_use AS
SELECT upid, sum(period * min_heap_mb) / 1e9 AS heap_live_mbs,
  sum(period * max_heap_mb) / 1e9 AS heap_total_mbs
FROM (
  SELECT upid, min_heap_mb, max_heap_mb,
    ts_end - lag(ts_end) OVER (PARTITION BY upid ORDER BY ts) AS period
  FROM (
    SELECT upid, gc_ts AS ts, gc_ts + gc_dur AS ts_end, min_heap_mb, max_heap_mb
    FROM android_garbage_collection_events
    UNION ALL
    SELECT p.upid, max(coalesce(p.start_ts, t.ts), t.ts),
      max(coalesce(p.start_ts, t.ts), t.ts), 0, 0
    FROM process AS p, _heap_time AS t
  )
)
WHERE min_heap_mb IS NOT NULL
GROUP BY upid;

-- How much is allocated for what collecting takes, where less room means more work.
CREATE PERFETTO MACRO _collection_efficiency(cost Expr) RETURNS Expr AS
(heap_allocation_rate * heap_utilization / ($cost * (1 - heap_utilization)));

CREATE PERFETTO TABLE _android_garbage_collection_process_stats AS
SELECT upid, ts, dur, heap_size_mbs, heap_size_mb, heap_allocated_mb, heap_allocation_rate,
  heap_live_mbs, heap_total_mbs, heap_utilization, gc_running_dur, gc_running_rate,
  _collection_efficiency!(gc_running_rate) AS gc_running_efficiency, gc_during_android_startup_dur,
  total_android_startup_dur, gc_during_android_startup_rate,
  _collection_efficiency!(gc_during_android_startup_rate) AS gc_during_android_startup_efficiency
FROM (
  SELECT h.upid, t.ts, t.dur, h.heap_size_mbs, h.heap_size_mbs * 1e9 / t.dur AS heap_size_mb,
    h.heap_allocated_mb, h.heap_allocated_mb * 1e9 / t.dur AS heap_allocation_rate,
    u.heap_live_mbs, u.heap_total_mbs, u.heap_live_mbs / u.heap_total_mbs AS heap_utilization,
    g.running AS gc_running_dur, g.running * 1.0 / t.dur AS gc_running_rate,
    o.dur AS gc_during_android_startup_dur, s.dur AS total_android_startup_dur,
    o.dur * 1.0 / s.dur AS gc_during_android_startup_rate
  FROM (
    SELECT upid, sum(grown) / 1e3 AS heap_allocated_mb, sum(value * dur) / 1e12 AS heap_size_mbs
    FROM _heap_samples
    GROUP BY upid
  ) AS h
  LEFT JOIN (
    SELECT upid, sum(gc_running_dur) AS running
    FROM android_garbage_collection_events
    GROUP BY upid
  ) AS g USING (upid)
  LEFT JOIN _collections_within_startups AS o USING (upid)
  LEFT JOIN _heap_use AS u USING (upid)
  JOIN _heap_time AS t
  JOIN (SELECT sum(dur) AS dur FROM android_startups) AS s
);

CREATE PERFETTO TABLE _android_garbage_collection_stats AS
SELECT *, _collection_efficiency!(gc_running_rate) AS gc_running_efficiency,
  _collection_efficiency!(gc_during_android_startup_rate) AS gc_during_android_startup_efficiency
FROM (
  SELECT ts, dur, sum(heap_size_mbs) AS heap_size_mbs, sum(heap_size_mb) AS heap_size_mb,
    sum(heap_allocated_mb) AS heap_allocated_mb, sum(heap_allocation_rate) AS heap_allocation_rate,
    sum(heap_live_mbs) AS heap_live_mbs, sum(heap_total_mbs) AS heap_total_mbs,
    sum(heap_live_mbs) / sum(heap_total_mbs) AS heap_utilization,
    sum(gc_running_dur) AS gc_running_dur, sum(gc_running_rate) AS gc_running_rate,
    sum(gc_during_android_startup_dur) AS gc_during_android_startup_dur, total_android_startup_dur,
    sum(gc_during_android_startup_rate) AS gc_during_android_startup_rate
  FROM _android_garbage_collection_process_stats
);
