-- Buffers shared between devices (dma-buf), by the threads that allocated them.

-- What gives a buffer back may be another thread: it counts against the one that allocated it last.
CREATE PERFETTO TABLE _dmabuf_changes AS
SELECT c.id, c.ts, CAST(c.value AS INTEGER) AS buf_size,
  extract_arg(c.arg_set_id, 'inode') AS inode, t.utid
FROM thread_counter_track AS t
JOIN counter AS c ON c.track_id = t.id
WHERE t.type = 'android_dma_heap_change'
ORDER BY c.ts;

CREATE PERFETTO TABLE android_dmabuf_allocs(
  ts TIMESTAMP, buf_size LONG, inode LONG, utid JOINID(thread.id), tid LONG, thread_name STRING,
  upid JOINID(process.id), pid LONG, process_name STRING
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

CREATE PERFETTO TABLE android_memory_cumulative_dmabuf(
  upid JOINID(process.id), process_name STRING, utid JOINID(thread.id), thread_name STRING,
  ts TIMESTAMP, value LONG
) AS
SELECT upid, process_name, utid, thread_name, ts,
  sum(buf_size) OVER (PARTITION BY utid ORDER BY ts) AS value
FROM android_dmabuf_allocs
ORDER BY utid, ts;
