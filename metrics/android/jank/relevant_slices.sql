-- What draws the frames of journeys: callbacks of Choreographer on the app's thread, what its render
-- thread draws, SurfaceFlinger's work for the frames that show those, and its render engine's.
SELECT run_metric('android/jank/frames.sql');

CREATE OR REPLACE PERFETTO TABLE android_jank_cuj_do_frame_slice AS
SELECT d.cuj_id, d.upid, d.utid, s.*, d.ts_end, d.vsync
FROM _android_jank_cuj_do_frames AS d
JOIN android_jank_cuj AS c USING (cuj_id)
JOIN slice AS s ON s.id = d.id;

-- One for each layer of a frame.
CREATE OR REPLACE PERFETTO TABLE android_jank_cuj_draw_frame_slice AS
SELECT d.cuj_id, r.upid, r.utid, s.*, s.ts + s.dur AS ts_end, d.vsync
FROM _android_jank_cuj_do_frames AS d
JOIN android_jank_cuj_render_thread AS r ON r.cuj_id = d.cuj_id
JOIN slice AS s ON s.track_id = r.track_id AND s.dur > 0 AND s.name GLOB 'DrawFrame*'
  AND CAST(str_split(s.name, ' ', 1) AS INT) = d.vsync;

CREATE OR REPLACE PERFETTO TABLE android_jank_cuj_sf_root_slice AS
SELECT f.cuj_id, m.utid, f.vsync, s.id, s.name, s.ts, s.dur, s.ts + s.dur AS ts_end
FROM android_jank_cuj_sf_main_thread AS m
JOIN slice AS s ON s.track_id = m.track_id AND s.dur > 0
JOIN android_jank_cuj_sf_frame AS f ON f.vsync = CAST(str_split(s.name, ' ', 1) AS INT)
WHERE str_split(s.name, ' ', 0) IN ('commit', 'composite', 'onMessageInvalidate');

-- The engine draws where the main thread composes surfaces itself.
CREATE OR REPLACE PERFETTO TABLE android_jank_cuj_sf_draw_layers_slice AS
SELECT
  root.cuj_id, engine.utid, root.vsync, s.*, s.ts + s.dur AS ts_end,
  compose.ts AS ts_compose_surfaces
FROM android_jank_cuj_sf_root_slice AS root
JOIN descendant_slice(root.id) AS compose ON compose.name = 'composeSurfaces'
JOIN android_jank_cuj_sf_render_engine_thread AS engine
JOIN slice AS s ON s.track_id = engine.track_id AND s.dur > 0
  AND s.name = 'REThreaded::drawLayers' AND s.ts >= compose.ts
  AND s.ts + s.dur <= compose.ts + compose.dur;
