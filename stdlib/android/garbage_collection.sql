-- Garbage collections of the Android runtime: heap sizes around them, and what their threads did.

INCLUDE PERFETTO MODULE android.startup.startups;
INCLUDE PERFETTO MODULE intervals.intersect;
INCLUDE PERFETTO MODULE slices.with_context;

-- Memory is compacted within the collection's slice or in the one that follows on the thread.
CREATE PERFETTO TABLE _collections AS
SELECT gc_id, gc_name, ts,
  dur + iif(next_name IN ('CompactionPhase', 'Background concurrent copying GC'), next_dur, 0)
    AS dur,
  utid, tid, thread_name, upid, pid, process_name
FROM (
  SELECT id AS gc_id, name AS gc_name, ts, iif(dur = -1, trace_end() - ts, dur) AS dur, utid, tid,
    thread_name, upid, pid, process_name,
    lead(name) OVER (PARTITION BY track_id ORDER BY ts) AS next_name,
    lead(dur) OVER (PARTITION BY track_id ORDER BY ts) AS next_dur
  FROM thread_slice
  WHERE depth = 0
)
WHERE gc_name GLOB '*concurrent*GC';

CREATE PERFETTO VIEW _heap_sizes AS
SELECT t.upid, c.ts, CAST(c.value AS INT) AS kb,
  coalesce(lead(c.ts) OVER (PARTITION BY c.track_id ORDER BY c.ts), trace_end()) - c.ts AS dur
FROM process_counter_track AS t
JOIN counter AS c ON c.track_id = t.id
WHERE t.name = 'Heap size (KB)';

-- What a collection left is the first size after it. That of another collection is none.
CREATE PERFETTO VIEW _collections_with_rest AS
SELECT *
FROM _collections
JOIN (
  SELECT gc_id, lead(kb) OVER (PARTITION BY upid ORDER BY ts) AS rest_kb
  FROM (
    SELECT upid, gc_id, ts + dur AS ts, NULL AS kb FROM _collections
    UNION ALL
    SELECT upid, NULL, ts, kb FROM _heap_sizes
  )
) USING (gc_id);

CREATE VIRTUAL TABLE _collection_sizes
USING SPAN_JOIN(_collections_with_rest PARTITIONED upid, _heap_sizes PARTITIONED upid);

CREATE PERFETTO TABLE _collection_heaps AS
SELECT c.*, heap.min_mb, heap.max_mb
FROM (
  SELECT gc_id, min(min(kb, rest_kb)) / 1e3 AS min_mb, max(max(kb, rest_kb)) / 1e3 AS max_mb
  FROM _collection_sizes
  GROUP BY gc_id
) AS heap
JOIN _collections AS c USING (gc_id);

CREATE VIRTUAL TABLE _collection_states
USING SPAN_LEFT_JOIN(_collection_heaps PARTITIONED utid, thread_state PARTITIONED utid);

-- One row per garbage collection of a process whose heap sizes are known.
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
    WHEN g.gc_name GLOB '*NativeAlloc*' THEN 'native_alloc'
    WHEN g.gc_name GLOB '*Alloc*' THEN 'alloc'
    WHEN g.gc_name GLOB '*young*' THEN 'young'
    WHEN g.gc_name GLOB '*CollectorTransition*' THEN 'collector_transition'
    WHEN g.gc_name GLOB '*Explicit*' THEN 'explicit'
    ELSE 'full'
  END AS gc_type,
  g.gc_name GLOB '*mark compact*' AS is_mark_compact, g.max_mb - g.min_mb AS reclaimed_mb,
  g.min_mb AS min_heap_mb, g.max_mb AS max_heap_mb, g.gc_id, g.ts AS gc_ts, g.dur AS gc_dur,
  sum(iif(s.state = 'Running', s.dur, 0)) AS gc_running_dur,
  sum(iif(s.state IN ('R', 'R+'), s.dur, 0)) AS gc_runnable_dur,
  sum(iif(s.state = 'D' AND s.io_wait = 1, s.dur, 0)) AS gc_unint_io_dur,
  sum(iif(s.state = 'D' AND s.io_wait <> 1, s.dur, 0)) AS gc_unint_non_io_dur,
  sum(iif(s.state = 'S', s.dur, 0)) AS gc_int_dur
FROM _collection_heaps AS g
JOIN _collection_states AS s USING (gc_id)
GROUP BY g.gc_id;

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
SELECT ts, dur, heap_size_mbs, heap_size_mb, heap_allocated_mb, heap_allocation_rate, heap_live_mbs,
  heap_total_mbs, heap_utilization, gc_running_dur, gc_running_rate,
  _collection_efficiency!(gc_running_rate) AS gc_running_efficiency, gc_during_android_startup_dur,
  total_android_startup_dur, gc_during_android_startup_rate,
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
