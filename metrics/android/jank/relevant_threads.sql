-- The threads that draw what journeys show: the app's main thread, or the one that the journey names,
-- and SurfaceFlinger's. android_jank_cuj_render_thread is of the standard library.
INCLUDE PERFETTO MODULE android.cujs.threads;

CREATE OR REPLACE PERFETTO TABLE android_jank_cuj_main_thread AS
SELECT c.cuj_id, c.upid, thread.utid, thread.name, t.id AS track_id
FROM android_jank_cuj AS c
JOIN thread ON thread.upid = c.upid
  AND (thread.utid = c.ui_thread OR c.ui_thread IS NULL AND thread.is_main_thread)
JOIN thread_track AS t ON t.utid = thread.utid;

CREATE OR REPLACE PERFETTO TABLE android_jank_cuj_sf_process AS
SELECT * FROM process WHERE name = '/system/bin/surfaceflinger' LIMIT 1;

CREATE OR REPLACE PERFETTO TABLE _jank_cuj_sf_thread AS
SELECT thread.upid, thread.utid, thread.name, t.id AS track_id, thread.is_main_thread
FROM android_jank_cuj_sf_process AS p
JOIN thread ON thread.upid = p.upid
JOIN thread_track AS t ON t.utid = thread.utid;

CREATE OR REPLACE PERFETTO VIEW android_jank_cuj_sf_main_thread AS
SELECT upid, utid, name, track_id FROM _jank_cuj_sf_thread WHERE is_main_thread;

CREATE OR REPLACE PERFETTO VIEW android_jank_cuj_sf_render_engine_thread AS
SELECT upid, utid, name, track_id FROM _jank_cuj_sf_thread WHERE name = 'RenderEngine';
