-- GPU memory of processes.

INCLUDE PERFETTO MODULE linux.memory.general;

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
SELECT ts, dur, upid, CAST(value AS INTEGER) AS gpu_memory
FROM _all_counters_per_process
WHERE name = 'GPU Memory' AND value > 0;
