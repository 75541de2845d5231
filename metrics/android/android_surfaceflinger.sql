-- Frames that SurfaceFlinger missed, and how long it waited for the GPU.

SELECT run_metric('android/frame_missed.sql',
  'track_name', 'PrevFrameMissed', 'output', 'frame_missed');
SELECT run_metric('android/frame_missed.sql',
  'track_name', 'PrevHwcFrameMissed', 'output', 'hwc_frame_missed');
SELECT run_metric('android/frame_missed.sql',
  'track_name', 'PrevGpuFrameMissed', 'output', 'gpu_frame_missed');

-- The frames that were missed, for a track of them.
DROP VIEW IF EXISTS android_surfaceflinger_event;
CREATE PERFETTO VIEW android_surfaceflinger_event AS
SELECT
  'slice' AS track_type,
  'Android Missed Frames' AS track_name,
  ts,
  dur,
  'Frame missed' AS slice_name
FROM frame_missed
WHERE value = 1 AND ts IS NOT NULL;

CREATE OR REPLACE PERFETTO TABLE _missed AS
SELECT display_id AS display, 'PrevFrameMissed' AS kind, value FROM frame_missed
UNION ALL SELECT display_id, 'PrevHwcFrameMissed', value FROM hwc_frame_missed
UNION ALL SELECT display_id, 'PrevGpuFrameMissed', value FROM gpu_frame_missed;

CREATE OR REPLACE PERFETTO VIEW _missed_of_display AS
SELECT
  display,
  CAST(ifnull(sum(value) FILTER (WHERE kind = 'PrevFrameMissed'), 0) AS INT) AS frames,
  CAST(ifnull(sum(value) FILTER (WHERE kind = 'PrevHwcFrameMissed'), 0) AS INT) AS hwc_frames,
  CAST(ifnull(sum(value) FILTER (WHERE kind = 'PrevGpuFrameMissed'), 0) AS INT) AS gpu_frames,
  avg(value) FILTER (WHERE kind = 'PrevFrameMissed') AS frame_rate,
  avg(value) FILTER (WHERE kind = 'PrevHwcFrameMissed') AS hwc_frame_rate,
  avg(value) FILTER (WHERE kind = 'PrevGpuFrameMissed') AS gpu_frame_rate
FROM _missed
GROUP BY display;

-- Fences that were handed to the GPU, and waits for them, of SurfaceFlinger's threads.
CREATE OR REPLACE PERFETTO TABLE _gpu_fence AS
SELECT
  s.name GLOB 'Trace GPU completion fence *' AS is_begin,
  CAST(substr(s.name, 28) AS INT) AS number,
  s.ts,
  s.dur
FROM slice AS s
JOIN thread_track AS t ON t.id = s.track_id
JOIN thread USING (utid)
JOIN process AS p USING (upid)
WHERE p.cmdline = '/system/bin/surfaceflinger'
  AND (s.name GLOB 'Trace GPU completion fence *' OR s.name GLOB 'waiting for GPU completion *');

-- From the time that a fence was handed over until the thread that waits for it went on.
CREATE OR REPLACE PERFETTO TABLE _gpu_wait AS
SELECT a.ts, min(b.ts + b.dur) - a.ts AS dur
FROM _gpu_fence AS a
JOIN _gpu_fence AS b ON b.number = a.number AND NOT b.is_begin AND b.dur >= 0
WHERE a.is_begin
GROUP BY a.ts, a.number;

CREATE OR REPLACE PERFETTO VIEW android_surfaceflinger_output AS
SELECT AndroidSurfaceflingerMetric(
  'missed_frames', (SELECT ifnull(sum(frames), 0) FROM _missed_of_display),
  'missed_hwc_frames', (SELECT ifnull(sum(hwc_frames), 0) FROM _missed_of_display),
  'missed_gpu_frames', (SELECT ifnull(sum(gpu_frames), 0) FROM _missed_of_display),
  'missed_frame_rate', (SELECT avg(value) FROM _missed WHERE kind = 'PrevFrameMissed'),
  'missed_hwc_frame_rate', (SELECT avg(value) FROM _missed WHERE kind = 'PrevHwcFrameMissed'),
  'missed_gpu_frame_rate', (SELECT avg(value) FROM _missed WHERE kind = 'PrevGpuFrameMissed'),
  'gpu_invocations', (SELECT count(*) FROM _gpu_fence WHERE NOT is_begin),
  'avg_gpu_waiting_dur_ms', (SELECT avg(dur) / 1e6 FROM _gpu_wait),
  'total_non_empty_gpu_waiting_dur_ms', (
    SELECT sum(dur) / 1e6 FROM _gpu_fence WHERE NOT is_begin AND dur >= 0
  ),
  'metrics_per_display', (
    SELECT RepeatedField(AndroidSurfaceflingerMetric_MetricsPerDisplay(
      'display_id', display,
      'missed_frames', frames,
      'missed_hwc_frames', hwc_frames,
      'missed_gpu_frames', gpu_frames,
      'missed_frame_rate', frame_rate,
      'missed_hwc_frame_rate', hwc_frame_rate,
      'missed_gpu_frame_rate', gpu_frame_rate))
    FROM (SELECT * FROM _missed_of_display ORDER BY display)
  )
) AS message;
