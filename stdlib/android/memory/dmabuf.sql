-- Buffers shared between devices (dma-buf), by the threads that allocated them.

-- What gives a buffer back may be another thread: it counts against the one that allocated it last.
CREATE PERFETTO TABLE _dmabuf_changes AS
SELECT c.id, c.ts, CAST(c.value AS INTEGER) AS buf_size,
  extract_arg(c.arg_set_id, 'inode') AS inode, t.utid
FROM thread_counter_track AS t
JOIN counter AS c ON c.track_id = t.id
WHERE t.type = 'android_dma_heap_change'
ORDER BY c.ts;

-- One row per dma-buf that was allocated (positive size) or given back (negative).
CREATE PERFETTO TABLE android_dmabuf_allocs(
  -- When the buffer was allocated or given back.
  ts TIMESTAMP,
  -- Bytes of the buffer; negative where it is given back.
  buf_size LONG,
  -- Inode of the buffer, the same from its allocation to its end.
  inode LONG,
  -- The thread that allocated the buffer.
  utid JOINID(thread.id),
  -- Tid of the thread.
  tid LONG,
  -- Name of the thread.
  thread_name STRING,
  -- Process of the thread.
  upid JOINID(process.id),
  -- Pid of the process.
  pid LONG,
  -- Name of the process.
  process_name STRING
) AS
SELECT c.ts, c.buf_size, c.inode, thread.utid, thread.tid, thread.name AS thread_name, thread.upid,
  p.pid, p.name AS process_name
FROM (
  SELECT *, last_non_null(iif(buf_size > 0, utid, NULL)) OVER (PARTITION BY inode ORDER BY ts, id)
    AS owner
  FROM _dmabuf_changes
) AS c
JOIN thread ON thread.utid = coalesce(c.owner, c.utid)
LEFT JOIN process AS p ON p.upid = thread.upid
ORDER BY c.ts;

-- Bytes of dma-bufs that each thread has allocated since the beginning of the trace and that were
-- not given back.
CREATE PERFETTO TABLE android_memory_cumulative_dmabuf(
  -- The thread's process.
  upid JOINID(process.id),
  -- Name of the process.
  process_name STRING,
  -- The thread.
  utid JOINID(thread.id),
  -- Name of the thread.
  thread_name STRING,
  -- When the sum changed.
  ts TIMESTAMP,
  -- Bytes that the thread holds; below 0 where buffers of before the trace are given back.
  value LONG
) AS
SELECT upid, process_name, utid, thread_name, ts,
  sum(buf_size) OVER (PARTITION BY utid ORDER BY ts) AS value
FROM android_dmabuf_allocs
ORDER BY utid, ts;
