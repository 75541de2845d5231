-- What threads did while a journey lasted.

INCLUDE PERFETTO MODULE android.cujs.boundaries;
INCLUDE PERFETTO MODULE android.cujs.threads;

-- Slices of the thread that draws.
CREATE PERFETTO VIEW _android_jank_cuj_main_thread_slice AS
SELECT b.cuj_id, thread.upid, b.utid, slice.*, slice.ts + slice.dur AS ts_end
FROM _android_jank_cuj_main_thread_cuj_boundary AS b
JOIN thread USING (utid)
JOIN thread_track AS t USING (utid)
JOIN slice ON slice.track_id = t.id AND slice.ts <= b.ts_end AND slice.ts + slice.dur >= b.ts
  AND slice.dur > 0;

-- Slices of the render thread.
CREATE PERFETTO VIEW _android_jank_cuj_render_thread_slice AS
SELECT b.cuj_id, thread.upid, b.utid, slice.*, slice.ts + slice.dur AS ts_end
FROM _android_jank_cuj_render_thread_cuj_boundary AS b
JOIN thread USING (utid)
JOIN thread_track AS t USING (utid)
JOIN slice ON slice.track_id = t.id AND slice.ts <= b.ts_end AND slice.ts + slice.dur >= b.ts
  AND slice.dur > 0;

-- Slices of SurfaceFlinger's main thread.
CREATE PERFETTO VIEW _android_jank_cuj_sf_main_thread_slice AS
SELECT b.cuj_id, thread.upid, b.utid, slice.id, slice.ts, slice.dur, slice.track_id,
  slice.name, slice.depth, slice.parent_id, slice.arg_set_id, slice.thread_ts, slice.thread_dur,
  slice.slice_id, slice.ts + slice.dur AS ts_end
FROM _android_jank_cuj_sf_main_thread_cuj_boundary AS b
JOIN thread USING (utid)
JOIN thread_track AS t USING (utid)
JOIN slice ON slice.track_id = t.id AND slice.ts <= b.ts_end AND slice.ts + slice.dur >= b.ts
  AND slice.dur > 0;

-- Slices of SurfaceFlinger's render engine.
CREATE PERFETTO VIEW _android_jank_cuj_sf_render_engine_slice AS
SELECT b.cuj_id, thread.upid, b.utid, slice.id, slice.ts, slice.dur, slice.track_id,
  slice.name, slice.depth, slice.parent_id, slice.arg_set_id, slice.thread_ts, slice.thread_dur,
  slice.slice_id, slice.ts + slice.dur AS ts_end
FROM _android_jank_cuj_sf_render_engine_frame_boundary AS b
JOIN thread USING (utid)
JOIN thread_track AS t USING (utid)
JOIN slice ON slice.track_id = t.id AND slice.ts <= b.ts_end AND slice.ts + slice.dur >= b.ts
  AND slice.dur > 0;

-- Slices of all threads of the journey's process.
CREATE PERFETTO VIEW _android_jank_cuj_slice AS
SELECT b.cuj_id, process.upid, process.name AS process_name, thread.utid,
  thread.name AS thread_name, slice.id, slice.ts, slice.dur, slice.track_id, slice.name,
  slice.depth, slice.parent_id, slice.arg_set_id, slice.thread_ts, slice.thread_dur,
  slice.slice_id, slice.ts + slice.dur AS ts_end
FROM _android_jank_cuj_boundary AS b
JOIN process USING (upid)
JOIN thread ON thread.upid = process.upid
JOIN thread_track AS t USING (utid)
JOIN slice ON slice.track_id = t.id AND slice.ts <= b.ts_end AND slice.ts + slice.dur >= b.ts
  AND slice.dur > 0;

-- Slices of all threads of SurfaceFlinger.
CREATE PERFETTO VIEW _android_jank_cuj_sf_slice AS
SELECT b.cuj_id, process.upid, process.name AS process_name, thread.utid,
  thread.name AS thread_name, slice.id, slice.ts, slice.dur, slice.track_id, slice.name,
  slice.depth, slice.parent_id, slice.arg_set_id, slice.thread_ts, slice.thread_dur,
  slice.slice_id, slice.ts + slice.dur AS ts_end
FROM _android_jank_cuj_sf_boundary AS b
JOIN _android_jank_cuj_sf_process AS process
JOIN thread ON thread.upid = process.upid
JOIN thread_track AS t USING (utid)
JOIN slice ON slice.track_id = t.id AND slice.ts <= b.ts_end AND slice.ts + slice.dur >= b.ts
  AND slice.dur > 0;
