-- Each write to f2fs.
SELECT run_metric('android/f2fs_writes.sql');

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
    FROM _f2fs_write
  )
) AS message;
