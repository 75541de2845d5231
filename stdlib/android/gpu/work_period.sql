-- Tracks of the time that the GPU worked for each app.

-- One row per track of work periods: of a uid on a GPU.
CREATE PERFETTO TABLE android_gpu_work_period_track(
  -- The track (joins track.id).
  id LONG,
  -- The machine of the GPU.
  machine_id JOINID(machine.id),
  -- Uid of the app that the GPU worked for.
  uid LONG,
  -- The GPU (joins gpu.id), unique among machines.
  ugpu LONG,
  -- Number of the GPU on its machine.
  gpu_id LONG
) AS
SELECT id, machine_id, extract_arg(dimension_arg_set_id, 'uid') AS uid,
  extract_arg(dimension_arg_set_id, 'ugpu') AS ugpu,
  extract_arg(dimension_arg_set_id, 'gpu') AS gpu_id
FROM track
WHERE type = 'android_gpu_work_period';
