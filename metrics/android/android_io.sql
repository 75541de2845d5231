-- Counters of f2fs, and what was written to it.
INCLUDE PERFETTO MODULE android.io;

CREATE OR REPLACE PERFETTO VIEW android_io_output AS
SELECT AndroidIo(
  'f2fs_counter_stats', (
    SELECT RepeatedField(AndroidIo_F2fsCounterStats(
      'name', name,
      'max', max,
      'sum', sum,
      'min', min,
      'dur', dur,
      'count', count,
      'avg', avg))
    FROM (SELECT * FROM _android_io_f2fs_counter_stats ORDER BY sum DESC)
  ),
  'f2fs_write_stats', (
    SELECT RepeatedField(AndroidIo_F2fsWriteStats(
      'total_write_count', total_write_count,
      'distinct_processes', distinct_processes,
      'total_bytes_written', total_bytes_written,
      'distinct_device_count', distinct_device_count,
      'distinct_inode_count', distinct_inode_count,
      'distinct_thread_count', distinct_thread_count))
    FROM _android_io_f2fs_aggregate_write_stats
  )
) AS message;
