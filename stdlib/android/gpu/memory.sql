-- GPU memory of processes.

INCLUDE PERFETTO MODULE counters.intervals;

-- GPU memory of each process over time, times without any left out.
CREATE PERFETTO TABLE android_gpu_memory_per_process(
  -- When the size changed.
  ts TIMESTAMP,
  -- How long the size stayed.
  dur DURATION,
  -- The process.
  upid JOINID(process.id),
  -- GPU memory in bytes.
  gpu_memory LONG
) AS
SELECT c.ts, c.dur, t.upid, CAST(c.value AS INTEGER) AS gpu_memory
FROM counter_leading_intervals!((
  SELECT counter.id, counter.ts, counter.track_id, counter.value
  FROM process_counter_track AS t
  JOIN counter ON counter.track_id = t.id
  WHERE t.name = 'GPU Memory'
)) AS c
JOIN process_counter_track AS t ON t.id = c.track_id
WHERE c.value > 0;
