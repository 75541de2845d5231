-- How large Java heaps are, how much is allocated, and what collecting it costs: of all processes
-- and of each, between the first and the last sample of a heap's size.
INCLUDE PERFETTO MODULE android.garbage_collection;
INCLUDE PERFETTO MODULE android.startup.startups;
SELECT run_metric('android/process_metadata.sql');

CREATE OR REPLACE PERFETTO TABLE _heap_sample AS
SELECT
  t.upid,
  c.ts,
  c.value / 1e3 AS mb,
  c.ts - lag(c.ts) OVER heap AS dur, -- that it grew to this size in
  max(c.value - lag(c.value) OVER heap, 0) / 1e3 AS grown_mb
FROM counter AS c
JOIN process_counter_track AS t ON t.id = c.track_id
WHERE t.name = 'Heap size (KB)'
WINDOW heap AS (PARTITION BY c.track_id ORDER BY c.ts);

CREATE OR REPLACE PERFETTO TABLE _heap_window AS
SELECT min(ts) AS ts, max(ts) - min(ts) AS dur, nullif((max(ts) - min(ts)) / 1e9, 0) AS seconds
FROM _heap_sample;

-- What is left by a collection is live until the next one.
CREATE OR REPLACE PERFETTO TABLE _collected AS
SELECT
  g.upid,
  g.gc_ts,
  g.gc_dur,
  g.gc_running_dur,
  g.min_heap_mb,
  lead(g.gc_ts, 1, (SELECT ts + dur FROM _heap_window))
    OVER (PARTITION BY g.upid ORDER BY g.gc_ts) - g.gc_ts AS until_next
FROM android_garbage_collection_events AS g;

CREATE OR REPLACE PERFETTO TABLE _collected_in_launch AS
SELECT g.upid, sum(min(g.gc_ts + g.gc_dur, l.ts_end) - max(g.gc_ts, l.ts)) AS dur
FROM _collected AS g
JOIN android_startups AS l ON l.ts < g.gc_ts + g.gc_dur AND l.ts_end > g.gc_ts
GROUP BY g.upid;

CREATE OR REPLACE PERFETTO TABLE _heap_of_process AS
SELECT
  upid,
  size_mbs,
  grown_mb,
  g.live_mbs,
  iif(g.upid IS NULL, NULL, size_mbs) AS total_mbs,
  g.running,
  l.dur AS launch_dur
FROM (
  SELECT upid, sum(mb * dur / 1e9) AS size_mbs, ifnull(sum(grown_mb), 0.0) AS grown_mb
  FROM _heap_sample
  GROUP BY upid
)
LEFT JOIN (
  SELECT upid, sum(min_heap_mb * until_next / 1e9) AS live_mbs, sum(gc_running_dur) AS running
  FROM _collected
  GROUP BY upid
) AS g USING (upid)
LEFT JOIN _collected_in_launch AS l USING (upid);

-- What a collection has to do for what is allocated: the more, the less of a heap is free.
CREATE OR REPLACE PERFETTO FUNCTION _collection_work(
  grown_mb DOUBLE, live_mbs DOUBLE, total_mbs DOUBLE
)
RETURNS DOUBLE AS
SELECT $grown_mb * $live_mbs / nullif($total_mbs - $live_mbs, 0);

CREATE OR REPLACE PERFETTO TABLE _launch_total AS
SELECT sum(dur) AS dur FROM android_startups;

CREATE OR REPLACE PERFETTO VIEW _heap_messages AS
SELECT RepeatedField(AndroidGarbageCollectionStats_ProcessStats(
  'process', process_metadata_proto(h.upid),
  'heap_size_mbs', h.size_mbs,
  'heap_size_mb', h.size_mbs / w.seconds,
  'heap_allocated_mb', h.grown_mb,
  'heap_allocation_rate', h.grown_mb / w.seconds,
  'heap_live_mbs', h.live_mbs,
  'heap_total_mbs', h.total_mbs,
  'heap_utilization', h.live_mbs / h.total_mbs,
  'gc_running_dur', h.running,
  'gc_running_rate', h.running / 1e9 / w.seconds,
  'gc_running_efficiency',
  _collection_work(h.grown_mb, h.live_mbs, h.total_mbs) / nullif(h.running / 1e9, 0),
  'gc_during_android_startup_dur', h.launch_dur,
  'gc_during_android_startup_rate', CAST(h.launch_dur AS DOUBLE) / t.dur,
  'gc_during_android_startup_efficiency',
  _collection_work(h.grown_mb, h.live_mbs, h.total_mbs) / nullif(h.launch_dur / 1e9, 0))) AS list
FROM _heap_of_process AS h, _heap_window AS w, _launch_total AS t;

CREATE OR REPLACE PERFETTO VIEW android_garbage_collection_stats_output AS
SELECT AndroidGarbageCollectionStats(
  'ts', w.ts,
  'dur', w.dur,
  'heap_size_mbs', h.size_mbs,
  'heap_size_mb', h.size_mbs / w.seconds,
  'heap_allocated_mb', h.grown_mb,
  'heap_allocation_rate', h.grown_mb / w.seconds,
  'heap_live_mbs', h.live_mbs,
  'heap_total_mbs', h.total_mbs,
  'heap_utilization', h.live_mbs / h.total_mbs,
  'gc_running_dur', h.running,
  'gc_running_rate', h.running / 1e9 / w.seconds,
  'gc_running_efficiency',
  _collection_work(h.grown_mb, h.live_mbs, h.total_mbs) / nullif(h.running / 1e9, 0),
  'gc_during_android_startup_dur', h.launch_dur,
  'total_android_startup_dur', t.dur,
  'gc_during_android_startup_rate', CAST(h.launch_dur AS DOUBLE) / t.dur,
  'gc_during_android_startup_efficiency',
  _collection_work(h.grown_mb, h.live_mbs, h.total_mbs) / nullif(h.launch_dur / 1e9, 0),
  'processes', (SELECT list FROM _heap_messages)
) AS message
FROM _heap_window AS w, _launch_total AS t, (
  SELECT
    sum(size_mbs) AS size_mbs,
    sum(grown_mb) AS grown_mb,
    sum(live_mbs) AS live_mbs,
    sum(total_mbs) AS total_mbs,
    sum(running) AS running,
    sum(launch_dur) AS launch_dur
  FROM _heap_of_process
) AS h;
