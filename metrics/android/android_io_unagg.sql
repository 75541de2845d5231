-- Writes to f2fs by thread and file.
INCLUDE PERFETTO MODULE android.io;

CREATE OR REPLACE PERFETTO VIEW android_io_unagg_output AS
SELECT AndroidIoUnaggregated(
  'f2fs_write_unaggregated_stats', (
    SELECT RepeatedField(AndroidIoUnaggregated_F2fsWriteUnaggreagatedStat(
      'tid', tid,
      'thread_name', thread_name,
      'pid', pid,
      'process_name', process_name,
      'ino', ino,
      'dev', dev))
    FROM _android_io_f2fs_write_stats
  )
) AS message;
