-- Counters of f2fs, and what was written to it.
SELECT run_metric('android/f2fs_writes.sql');

CREATE OR REPLACE PERFETTO VIEW _f2fs_counter AS
SELECT
  t.name,
  max(c.value) AS largest,
  sum(c.value) AS total,
  min(c.value) AS smallest,
  max(c.ts) - min(c.ts) AS dur,
  count(*) AS number,
  avg(c.value) AS mean
FROM counter AS c
JOIN track AS t ON t.id = c.track_id
WHERE t.type IN ('f2fs_iostat', 'f2fs_iostat_latency')
GROUP BY t.name;

CREATE OR REPLACE PERFETTO VIEW android_io_output AS
SELECT AndroidIo(
  'f2fs_counter_stats', (
    SELECT RepeatedField(AndroidIo_F2fsCounterStats(
      'name', name,
      'max', largest,
      'sum', total,
      'min', smallest,
      'dur', dur,
      'count', number,
      'avg', mean))
    FROM (SELECT * FROM _f2fs_counter ORDER BY total DESC)
  ),
  'f2fs_write_stats', (
    SELECT RepeatedField(AndroidIo_F2fsWriteStats(
      'total_write_count', nullif(number, 0),
      'distinct_processes', processes,
      'total_bytes_written', bytes,
      'distinct_device_count', devices,
      'distinct_inode_count', inodes,
      'distinct_thread_count', threads))
    FROM (
      SELECT
        count(*) AS number,
        count(DISTINCT pid) AS processes,
        sum(bytes) AS bytes,
        count(DISTINCT dev) AS devices,
        count(DISTINCT ino) AS inodes,
        count(DISTINCT tid) AS threads
      FROM _f2fs_write
    )
  )
) AS message;
