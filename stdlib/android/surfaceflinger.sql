-- SurfaceFlinger's frames and what they were made from.

CREATE PERFETTO TABLE android_app_to_sf_frame_timeline_match(
  app_upid JOINID(process.upid), app_vsync LONG, sf_upid JOINID(process.upid), sf_vsync LONG
) AS
SELECT DISTINCT app.upid AS app_upid, CAST(app.name AS INTEGER) AS app_vsync, sf.upid AS sf_upid,
  CAST(sf.name AS INTEGER) AS sf_vsync
FROM actual_frame_timeline_slice AS app
JOIN flow ON flow.slice_out = app.id
JOIN actual_frame_timeline_slice AS sf ON sf.id = flow.slice_in
JOIN process ON process.upid = sf.upid
WHERE process.name = '/system/bin/surfaceflinger';

CREATE PERFETTO MACRO _workload(field Expr) RETURNS Expr AS
extract_arg(arg_set_id, 'surfaceflinger_workload.' || $field);

CREATE PERFETTO TABLE android_surfaceflinger_workloads(
  ts TIMESTAMP, source STRING, output_name STRING, sf_vsync LONG, sf_cpu_frame_signal_nanos LONG,
  sf_cpu_commit_nanos LONG, sf_cpu_composite_nanos LONG, hwc_present_nanos LONG,
  hwc_validate_nanos LONG, hwc_present_or_validate_nanos LONG, re_draw_layers_nanos LONG,
  re_gpu_completion_nanos LONG, skia_flush_nanos LONG, skia_submit_nanos LONG,
  gpu_composited_layers LONG, dpu_composited_layers LONG
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
