-- What f2fs, the file system of Android's data, counted and wrote.

-- Counters, which are called "[DEVICE].NAME", by their names.
CREATE PERFETTO VIEW _android_io_f2fs_counter_stats(
  -- Name without the device.
  name STRING,
  -- Sum of all values.
  sum DOUBLE,
  -- The largest value.
  max DOUBLE,
  -- The smallest value.
  min DOUBLE,
  -- Time from the first to the last value, ns.
  dur DURATION,
  -- Number of values.
  count LONG,
  -- Mean of the values.
  avg DOUBLE
) AS
SELECT
  str_split(t.name, '].', 1) AS name,
  sum(c.value) AS sum,
  max(c.value) AS max,
  min(c.value) AS min,
  max(c.ts) - min(c.ts) AS dur,
  count(c.ts) AS count,
  avg(c.value) AS avg
FROM counter AS c
JOIN counter_track AS t ON t.id = c.track_id
WHERE t.name GLOB '*f2fs*'
GROUP BY 1
ORDER BY sum DESC;

-- Writes by thread and file.
CREATE PERFETTO VIEW _android_io_f2fs_write_stats(
  -- Thread that wrote.
  utid JOINID(thread.id),
  -- Thread id of the operating system.
  tid LONG,
  -- Name of the thread.
  thread_name STRING,
  -- Process of the thread.
  upid JOINID(process.id),
  -- Process id of the operating system.
  pid LONG,
  -- Name of the process.
  process_name STRING,
  -- Inode of the file.
  ino LONG,
  -- Device of the file.
  dev LONG,
  -- Bytes that were written.
  bytes LONG,
  -- Number of writes.
  write_count LONG
) AS
SELECT utid, thread.tid, thread.name AS thread_name, upid, process.pid, process.name AS process_name,
  w.ino, w.dev, sum(w.copied) AS bytes, count(w.len) AS write_count
FROM (
  SELECT
    utid,
    extract_arg(arg_set_id, 'ino') AS ino,
    extract_arg(arg_set_id, 'dev') AS dev,
    extract_arg(arg_set_id, 'len') AS len,
    extract_arg(arg_set_id, 'copied') AS copied
  FROM ftrace_event
  WHERE name GLOB 'f2fs_write_end*'
) AS w
JOIN thread USING (utid)
JOIN process USING (upid)
GROUP BY utid, w.ino, w.dev
ORDER BY bytes DESC;

-- All writes.
CREATE PERFETTO VIEW _android_io_f2fs_aggregate_write_stats(
  -- Number of writes.
  total_write_count LONG,
  -- Number of processes that wrote.
  distinct_processes LONG,
  -- Bytes that were written.
  total_bytes_written LONG,
  -- Number of devices that were written to.
  distinct_device_count LONG,
  -- Number of files that were written to.
  distinct_inode_count LONG,
  -- Number of threads that wrote.
  distinct_thread_count LONG
) AS
SELECT
  sum(write_count) AS total_write_count,
  count(DISTINCT pid) AS distinct_processes,
  sum(bytes) AS total_bytes_written,
  count(DISTINCT dev) AS distinct_device_count,
  count(DISTINCT ino) AS distinct_inode_count,
  count(DISTINCT tid) AS distinct_thread_count
FROM _android_io_f2fs_write_stats;
