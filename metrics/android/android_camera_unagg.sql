-- The memory of the camera over time.
SELECT run_metric('android/camera_memory.sql');

CREATE OR REPLACE PERFETTO VIEW android_camera_unagg_output AS
SELECT AndroidCameraUnaggregatedMetric(
  'gc_rss_and_dma', (
    SELECT RepeatedField(AndroidCameraUnaggregatedMetric_Value(
      'ts', ts,
      'gca_rss_val', app,
      'hal_rss_val', hal,
      'cameraserver_rss_val', server,
      'dma_val', dma,
      'value', value))
    FROM _camera_memory
  )
) AS message;
