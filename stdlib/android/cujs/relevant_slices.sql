-- The slices that a journey's frames are made of, in the app and in SurfaceFlinger.

INCLUDE PERFETTO MODULE android.cujs.base;
INCLUDE PERFETTO MODULE android.cujs.threads;
INCLUDE PERFETTO MODULE android.surfaceflinger;

-- The frame's number in a slice's name.
CREATE PERFETTO FUNCTION _vsync_from_name(slice_name STRING) RETURNS STRING AS
SELECT CAST(str_split($slice_name, ' ', 1) AS INTEGER);

-- The fence's number in the name of a slice that makes one or waits for one, of the GPU or of the
-- hardware composer.
CREATE PERFETTO FUNCTION _gpu_completion_fence_id_from_name(slice_name STRING) RETURNS STRING AS
SELECT CAST(regexp_extract($slice_name, '^(?:GPU completion fence|Trace GPU completion fence|'
  || 'waiting for GPU completion|Trace HWC release fence|waiting for HWC release) (.*)') AS INTEGER);

-- Callbacks for a journey's frames without others within.
CREATE PERFETTO TABLE _android_jank_cuj_do_frame_slice AS
SELECT c.cuj_id, main.upid, main.utid, slice.*, slice.ts + slice.dur AS ts_end,
  _vsync_from_name(slice.name) AS vsync
FROM android_jank_cuj AS c
JOIN _android_jank_cuj_main_thread AS main USING (cuj_id)
JOIN slice ON slice.track_id = main.track_id AND slice.ts <= c.ts_end
  AND slice.ts + slice.dur >= c.ts AND slice.dur > 0
  AND slice.name GLOB 'Choreographer#doFrame*' AND slice.name NOT GLOB '*resynced*'
WHERE vsync > 0 AND vsync BETWEEN coalesce(c.begin_vsync, vsync) AND coalesce(c.end_vsync, vsync)
  AND NOT EXISTS (
    SELECT 1
    FROM descendant_slice(slice.id) AS inside
    WHERE inside.name GLOB 'Choreographer#doFrame*' AND inside.name NOT GLOB '*resynced*');

-- The drawings of a journey's frames by its render thread.
CREATE PERFETTO TABLE _android_jank_cuj_draw_frame_slice AS
SELECT frame.cuj_id, render.upid, render.utid, slice.*, slice.ts + slice.dur AS ts_end,
  _vsync_from_name(slice.name) AS vsync
FROM _android_jank_cuj_do_frames AS frame
JOIN android_jank_cuj_render_thread AS render USING (cuj_id)
JOIN slice ON slice.track_id = render.track_id AND slice.name GLOB 'DrawFrame*' AND slice.dur > 0
  AND _vsync_from_name(slice.name) = frame.vsync;

-- The fences that a drawing made, and the slices in which others wait for them.
CREATE PERFETTO MACRO _cuj_fences(
  slices TableOrSubquery, slice_id ColumnName, names Expr
) RETURNS TableOrSubquery AS (
  SELECT around.cuj_id, around.vsync, around.id AS $slice_id,
    _gpu_completion_fence_id_from_name(fence.name) AS fence_idx
  FROM $slices AS around
  JOIN descendant_slice(around.id) AS fence ON fence.name GLOB $names
);

CREATE PERFETTO TABLE _android_jank_cuj_gpu_completion_fence AS
SELECT * FROM _cuj_fences!(
  _android_jank_cuj_draw_frame_slice, draw_frame_slice_id, '*GPU completion fence*');

CREATE PERFETTO TABLE _android_jank_cuj_hwc_release_fence AS
SELECT * FROM _cuj_fences!(
  _android_jank_cuj_draw_frame_slice, draw_frame_slice_id, '*HWC release fence *');

CREATE PERFETTO TABLE _android_jank_cuj_hwc_release_slice AS
SELECT fence.cuj_id, fence.vsync, slice.*, slice.ts + slice.dur AS ts_end, fence.fence_idx,
  fence.draw_frame_slice_id
FROM _android_jank_cuj_hwc_release_thread AS waiter
JOIN slice ON slice.track_id = waiter.track_id AND slice.name GLOB 'waiting for HWC release *'
  AND slice.dur > 0
JOIN _android_jank_cuj_hwc_release_fence AS fence ON fence.cuj_id = waiter.cuj_id
  AND fence.fence_idx = _gpu_completion_fence_id_from_name(slice.name);

-- Work of the GPU begins at the earliest when the buffer it draws to was released.
CREATE PERFETTO TABLE _android_jank_cuj_gpu_completion_slice AS
SELECT fence.cuj_id, fence.vsync, slice.*, slice.ts + slice.dur AS ts_end,
  released.ts_end AS hwc_release_ts_end, fence.fence_idx
FROM _android_jank_cuj_gpu_completion_thread AS waiter
JOIN slice ON slice.track_id = waiter.track_id AND slice.name GLOB 'waiting for GPU completion *'
  AND slice.dur > 0
JOIN _android_jank_cuj_gpu_completion_fence AS fence ON fence.cuj_id = waiter.cuj_id
  AND fence.fence_idx = _gpu_completion_fence_id_from_name(slice.name)
LEFT JOIN _android_jank_cuj_hwc_release_slice AS released ON released.cuj_id = fence.cuj_id
  AND released.vsync = fence.vsync AND released.draw_frame_slice_id = fence.draw_frame_slice_id;

-- What SurfaceFlinger's main thread does for a frame, in one slice or two.
CREATE PERFETTO VIEW _android_jank_cuj_sf_root_slice AS
SELECT * FROM _android_jank_cuj_sf_commit_slice
UNION ALL
SELECT * FROM _android_jank_cuj_sf_composite_slice
UNION ALL
SELECT * FROM _android_jank_cuj_sf_on_message_invalidate_slice;

CREATE PERFETTO TABLE _android_jank_cuj_sf_gpu_completion_fence AS
SELECT * FROM _cuj_fences!(
  _android_jank_cuj_sf_root_slice, sf_root_slice_id, '*GPU completion fence*');

CREATE PERFETTO TABLE _android_jank_cuj_sf_gpu_completion_slice AS
SELECT fence.cuj_id, fence.vsync, slice.*, slice.ts + slice.dur AS ts_end, fence.fence_idx
FROM _android_jank_cuj_sf_gpu_completion_thread AS waiter
JOIN slice ON slice.track_id = waiter.track_id AND slice.name GLOB 'waiting for GPU completion *'
  AND slice.dur > 0
JOIN _android_jank_cuj_sf_gpu_completion_fence AS fence
  ON fence.fence_idx = _gpu_completion_fence_id_from_name(slice.name);

-- What the render engine draws while the main thread composes surfaces.
CREATE PERFETTO TABLE _android_jank_cuj_sf_draw_layers_slice AS
SELECT around.cuj_id, engine.utid, around.vsync, slice.*, slice.ts + slice.dur AS ts_end,
  compose.ts AS ts_compose_surfaces
FROM _android_jank_cuj_sf_root_slice AS around
JOIN descendant_slice(around.id) AS compose ON compose.name = 'composeSurfaces'
JOIN _android_jank_cuj_sf_render_engine_thread AS engine
JOIN slice ON slice.track_id = engine.track_id AND slice.name = 'REThreaded::drawLayers'
  AND slice.dur > 0 AND slice.ts >= compose.ts
  AND slice.ts + slice.dur <= compose.ts + compose.dur;
