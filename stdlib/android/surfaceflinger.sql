-- SurfaceFlinger's frames and what they were made from.

INCLUDE PERFETTO MODULE android.cujs.base;

CREATE PERFETTO TABLE _android_sf_process AS
SELECT upid, id, pid, name, start_ts, end_ts, parent_upid, uid, android_appid, android_user_id,
  cmdline, arg_set_id, machine_id
FROM process
WHERE name = '/system/bin/surfaceflinger'
LIMIT 1;

CREATE PERFETTO TABLE _android_sf_main_thread AS
SELECT t.upid, t.utid, t.name, k.id AS track_id
FROM _android_sf_process
JOIN thread AS t USING (upid)
JOIN thread_track AS k USING (utid)
WHERE t.is_main_thread;

-- Threads of this name of SurfaceFlinger.
CREATE PERFETTO FUNCTION _android_sf_thread(
  -- Name of the threads, exactly.
  thread_name STRING
) RETURNS TABLE(
  -- SurfaceFlinger's process.
  upid JOINID(process.id),
  -- The thread.
  utid JOINID(thread.id),
  -- Its name.
  name STRING,
  -- Its track.
  track_id JOINID(track.id)
) AS
SELECT t.upid, t.utid, t.name, k.id AS track_id
FROM _android_sf_process
JOIN thread AS t USING (upid)
JOIN thread_track AS k USING (utid)
WHERE t.name = $thread_name;

-- Which frame of SurfaceFlinger shows which frame of an app.
CREATE PERFETTO TABLE android_app_to_sf_frame_timeline_match(
  -- The app's process.
  app_upid JOINID(process.upid),
  -- Number of the app's frame: its vsync id.
  app_vsync LONG,
  -- SurfaceFlinger's process.
  sf_upid JOINID(process.upid),
  -- Number of SurfaceFlinger's frame: its vsync id.
  sf_vsync LONG
) AS
SELECT DISTINCT app.upid AS app_upid, CAST(app.name AS INTEGER) AS app_vsync, sf.upid AS sf_upid,
  CAST(sf.name AS INTEGER) AS sf_vsync
FROM actual_frame_timeline_slice AS app
JOIN flow ON flow.slice_out = app.id
JOIN actual_frame_timeline_slice AS sf ON sf.id = flow.slice_in
WHERE sf.upid IN (SELECT upid FROM _android_sf_process);

CREATE PERFETTO MACRO _workload(field Expr) RETURNS Expr AS
extract_arg(arg_set_id, 'surfaceflinger_workload.' || $field);

-- One row per frame and output that SurfaceFlinger reports its work for. Times are in ns.
CREATE PERFETTO TABLE android_surfaceflinger_workloads(
  -- When the work was reported.
  ts TIMESTAMP,
  -- What the report is about.
  source STRING,
  -- Name of the display or other output.
  output_name STRING,
  -- Vsync id of the frame.
  sf_vsync LONG,
  -- CPU's time to handle the signal for a frame.
  sf_cpu_frame_signal_nanos LONG,
  -- CPU's time to apply transactions.
  sf_cpu_commit_nanos LONG,
  -- CPU's time to compose the layers.
  sf_cpu_composite_nanos LONG,
  -- Time of the hardware composer's call to present.
  hwc_present_nanos LONG,
  -- Time of the hardware composer's call to validate.
  hwc_validate_nanos LONG,
  -- Time of the hardware composer's call that presents or, if it cannot yet, validates.
  hwc_present_or_validate_nanos LONG,
  -- Render engine's time to draw layers.
  re_draw_layers_nanos LONG,
  -- Time until the GPU had drawn the layers.
  re_gpu_completion_nanos LONG,
  -- Time to flush Skia.
  skia_flush_nanos LONG,
  -- Time to submit Skia's work to the GPU.
  skia_submit_nanos LONG,
  -- Layers that the GPU composed.
  gpu_composited_layers LONG,
  -- Layers that the display hardware composed.
  dpu_composited_layers LONG
) AS
SELECT ts, _workload!('source') AS source, _workload!('output_name') AS output_name,
  _workload!('vsync_id') AS sf_vsync,
  _workload!('summary.timings.sf_cpu.frame_signal_nanos') AS sf_cpu_frame_signal_nanos,
  _workload!('summary.timings.sf_cpu.commit_nanos') AS sf_cpu_commit_nanos,
  _workload!('summary.timings.sf_cpu.composite_nanos') AS sf_cpu_composite_nanos,
  _workload!('summary.timings.hwc.present_nanos') AS hwc_present_nanos,
  _workload!('summary.timings.hwc.validate_nanos') AS hwc_validate_nanos,
  _workload!('summary.timings.hwc.present_or_validate_nanos') AS hwc_present_or_validate_nanos,
  _workload!('summary.timings.re.draw_layers_nanos') AS re_draw_layers_nanos,
  _workload!('summary.timings.re.gpu_completion_nanos') AS re_gpu_completion_nanos,
  _workload!('summary.timings.skia.flush_nanos') AS skia_flush_nanos,
  _workload!('summary.timings.skia.submit_nanos') AS skia_submit_nanos,
  _workload!('summary.stats.gpu_composited_layers') AS gpu_composited_layers,
  _workload!('summary.stats.dpu_composited_layers') AS dpu_composited_layers
FROM slice
WHERE dur = 0 AND arg_set_id IN (
  SELECT arg_set_id FROM args WHERE key GLOB 'surfaceflinger_workload.*'
);

-- SurfaceFlinger's frames that show a frame of a journey.
CREATE PERFETTO TABLE _android_jank_cuj_app_sf_frame_timeline_match AS
SELECT frame.cuj_id, match.app_upid, match.app_vsync, match.sf_upid, match.sf_vsync
FROM _android_jank_cuj_do_frames AS frame
JOIN android_app_to_sf_frame_timeline_match AS match
  ON match.app_upid = frame.upid AND match.app_vsync = frame.vsync;

-- What its main thread did for them, of slices whose names have the number of the frame.
CREATE PERFETTO FUNCTION _find_android_jank_cuj_sf_main_thread_slice(
  slice_name_glob STRING
) RETURNS TABLE(
  cuj_id LONG, utid JOINID(thread.id), vsync LONG, id ID(slice.id), name STRING, ts TIMESTAMP,
  dur LONG, ts_end TIMESTAMP
) AS
SELECT frame.cuj_id, main.utid, frame.vsync, s.id, s.name, s.ts, s.dur, s.ts + s.dur AS ts_end
FROM _android_sf_main_thread AS main
JOIN slice AS s ON s.track_id = main.track_id AND s.name GLOB $slice_name_glob AND s.dur > 0
JOIN (
  SELECT DISTINCT cuj_id, sf_vsync AS vsync FROM _android_jank_cuj_app_sf_frame_timeline_match
) AS frame ON frame.vsync = CAST(str_split(s.name, ' ', 1) AS INTEGER)
ORDER BY frame.cuj_id, frame.vsync;

CREATE PERFETTO TABLE _android_jank_cuj_sf_commit_slice AS
SELECT * FROM _find_android_jank_cuj_sf_main_thread_slice('commit *');

CREATE PERFETTO TABLE _android_jank_cuj_sf_composite_slice AS
SELECT * FROM _find_android_jank_cuj_sf_main_thread_slice('composite *');

CREATE PERFETTO TABLE _android_jank_cuj_sf_on_message_invalidate_slice AS
SELECT * FROM _find_android_jank_cuj_sf_main_thread_slice('onMessageInvalidate *');

-- Each of these frames from when it was expected to begin until the main thread was done, in older
-- versions with one slice.
CREATE PERFETTO TABLE _android_jank_cuj_sf_main_thread_frame_boundary AS
SELECT work.cuj_id, work.utid, work.vsync, e.ts, work.ts AS ts_main_thread_start, work.ts_end,
  work.ts_end - e.ts AS dur
FROM (
  SELECT commit_slice.cuj_id, commit_slice.utid, commit_slice.vsync, commit_slice.ts,
    composite_slice.ts_end
  FROM _android_jank_cuj_sf_commit_slice AS commit_slice
  JOIN _android_jank_cuj_sf_composite_slice AS composite_slice USING (cuj_id, vsync)
  UNION ALL
  SELECT cuj_id, utid, vsync, ts, ts_end FROM _android_jank_cuj_sf_on_message_invalidate_slice
) AS work
JOIN expected_frame_timeline_slice AS e ON CAST(e.name AS INTEGER) = work.vsync
JOIN _android_sf_process USING (upid);
