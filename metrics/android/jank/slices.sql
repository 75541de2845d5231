-- Slices of journeys' threads, from those that reach into the first frame on: what may delay a frame.
SELECT run_metric('android/jank/cujs_boundaries.sql');

-- All of the process.
CREATE OR REPLACE PERFETTO VIEW android_jank_cuj_slice AS
SELECT
  b.cuj_id, process.upid, process.name AS process_name, thread.utid, thread.name AS thread_name, s.*,
  s.ts + s.dur AS ts_end
FROM android_jank_cuj_boundary AS b
JOIN process ON process.upid = b.upid
JOIN thread ON thread.upid = process.upid
JOIN thread_track AS t ON t.utid = thread.utid
JOIN slice AS s ON s.track_id = t.id AND s.dur > 0 AND s.ts + s.dur >= b.ts AND s.ts <= b.ts_end;

-- All of SurfaceFlinger.
CREATE OR REPLACE PERFETTO VIEW android_jank_cuj_sf_slice AS
SELECT
  b.cuj_id, process.upid, process.name AS process_name, t.utid, t.name AS thread_name, s.*,
  s.ts + s.dur AS ts_end
FROM android_jank_cuj_sf_boundary AS b
JOIN android_jank_cuj_sf_process AS process
JOIN _jank_cuj_sf_thread AS t ON t.upid = process.upid
JOIN slice AS s ON s.track_id = t.track_id AND s.dur > 0 AND s.ts + s.dur >= b.ts
  AND s.ts <= b.ts_end;

CREATE OR REPLACE PERFETTO MACRO _jank_cuj_thread_slices(boundary TableOrSubquery)
RETURNS TableOrSubquery AS (
  SELECT b.cuj_id, thread.upid, b.utid, s.*, s.ts + s.dur AS ts_end
  FROM $boundary AS b
  JOIN thread ON thread.utid = b.utid
  JOIN thread_track AS t ON t.utid = b.utid
  JOIN slice AS s ON s.track_id = t.id AND s.dur > 0 AND s.ts + s.dur >= b.ts AND s.ts <= b.ts_end
);

CREATE OR REPLACE PERFETTO TABLE android_jank_cuj_main_thread_slice AS
SELECT * FROM _jank_cuj_thread_slices!(android_jank_cuj_main_thread_cuj_boundary);

CREATE OR REPLACE PERFETTO TABLE android_jank_cuj_render_thread_slice AS
SELECT * FROM _jank_cuj_thread_slices!(android_jank_cuj_render_thread_cuj_boundary);

CREATE OR REPLACE PERFETTO TABLE android_jank_cuj_sf_main_thread_slice AS
SELECT * FROM _jank_cuj_thread_slices!(android_jank_cuj_sf_main_thread_cuj_boundary);

CREATE OR REPLACE PERFETTO TABLE android_jank_cuj_sf_render_engine_slice AS
SELECT *
FROM _jank_cuj_thread_slices!((
  SELECT b.cuj_id, engine.utid, b.ts, b.ts_end
  FROM android_jank_cuj_sf_boundary AS b
  JOIN android_jank_cuj_sf_render_engine_thread AS engine
));
