-- Garbage collections that began after {{since}}, as the view _gc_unagg of one message.
INCLUDE PERFETTO MODULE android.garbage_collection;
SELECT run_metric('android/process_metadata.sql');

CREATE OR REPLACE PERFETTO VIEW _gc_unagg AS
SELECT AndroidGarbageCollectionUnaggMetric(
  'gc_events', (
    SELECT RepeatedField(AndroidGarbageCollectionUnaggMetric_GarbageCollectionEvent(
      'thread_name', thread_name,
      'process_name', process_name,
      'gc_type', gc_type,
      'is_mark_compact', is_mark_compact,
      'reclaimed_mb', reclaimed_mb,
      'min_heap_mb', min_heap_mb,
      'max_heap_mb', max_heap_mb,
      'mb_per_ms_of_running_gc', reclaimed_mb / (gc_running_dur / 1e6),
      'mb_per_ms_of_wall_gc', reclaimed_mb / (gc_dur / 1e6),
      'gc_dur', gc_dur,
      'gc_running_dur', gc_running_dur,
      'gc_runnable_dur', gc_runnable_dur,
      'gc_unint_io_dur', gc_unint_io_dur,
      'gc_unint_non_io_dur', gc_unint_non_io_dur,
      'gc_int_dur', gc_int_dur,
      'gc_ts', gc_ts,
      'pid', pid,
      'tid', tid,
      'gc_monotonic_dur', to_monotonic(gc_ts + gc_dur) - to_monotonic(gc_ts),
      'process', process_metadata_proto(upid)))
    FROM (SELECT * FROM android_garbage_collection_events WHERE gc_ts > {{since}} ORDER BY gc_ts)
  )
) AS message;
