-- GPU memory of processes.

INCLUDE PERFETTO MODULE counters.intervals;

CREATE PERFETTO TABLE android_gpu_memory_per_process(
  ts TIMESTAMP, dur DURATION, upid JOINID(process.id), gpu_memory LONG
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
