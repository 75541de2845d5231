-- The smallest, largest and mean memory of the camera.
SELECT run_metric('android/camera_memory.sql');

CREATE OR REPLACE PERFETTO VIEW android_camera_output AS
SELECT AndroidCameraMetric(
  'gc_rss_and_dma', (
    SELECT AndroidCameraMetric_Counter(
      'min', min(value), 'max', max(value), 'avg', sum(value * dur) / sum(dur))
    FROM _camera_memory
  )
) AS message;
