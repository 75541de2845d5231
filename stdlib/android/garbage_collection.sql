-- Garbage collections of the Android runtime: heap sizes around them, and what their threads did.

INCLUDE PERFETTO MODULE android.breakdown;
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

CREATE PERFETTO TABLE android_garbage_collection_events(
  tid LONG, pid LONG, utid JOINID(thread.id), upid JOINID(process.id), thread_name STRING,
  process_name STRING, gc_type STRING, is_mark_compact LONG, reclaimed_mb DOUBLE,
  min_heap_mb DOUBLE, max_heap_mb DOUBLE, gc_id LONG, gc_ts TIMESTAMP, gc_dur DURATION,
  gc_running_dur DURATION, gc_runnable_dur DURATION, gc_unint_io_dur DURATION,
  gc_unint_non_io_dur DURATION, gc_int_dur LONG
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
