-- The threads that draw in the processes of user journeys.

INCLUDE PERFETTO MODULE android.cujs.base;
INCLUDE PERFETTO MODULE android.surfaceflinger;

-- Threads of this name in the processes of journeys.
CREATE PERFETTO FUNCTION android_jank_cuj_app_thread(
  -- Name of the threads, exactly.
  thread_name STRING
) RETURNS TABLE(
  -- The journey (joins android_jank_cuj.cuj_id).
  cuj_id LONG,
  -- Process of the journey.
  upid JOINID(process.id),
  -- The thread (joins thread.id).
  utid LONG,
  -- Name of the thread.
  name STRING,
  -- The thread's track (joins thread_track.id).
  track_id LONG
) AS
SELECT c.cuj_id, c.upid, thread.utid, thread.name, t.id AS track_id
FROM android_jank_cuj AS c
JOIN thread ON thread.upid = c.upid AND thread.name = $thread_name
JOIN thread_track AS t ON t.utid = thread.utid;

-- The threads RenderThread in the processes of journeys.
CREATE PERFETTO TABLE android_jank_cuj_render_thread(
  -- The journey (joins android_jank_cuj.cuj_id).
  cuj_id LONG,
  -- Process of the journey.
  upid JOINID(process.id),
  -- The thread.
  utid JOINID(thread.id),
  -- Name of the thread.
  name STRING,
  -- The thread's track.
  track_id JOINID(track.id)
) AS
SELECT cuj_id, upid, utid, name, track_id
FROM android_jank_cuj_app_thread('RenderThread');

CREATE PERFETTO VIEW _android_jank_cuj_gpu_completion_thread AS
SELECT * FROM android_jank_cuj_app_thread('GPU completion');

CREATE PERFETTO VIEW _android_jank_cuj_hwc_release_thread AS
SELECT * FROM android_jank_cuj_app_thread('HWC release');

-- The thread that draws a journey: the one it names, else the main thread.
CREATE PERFETTO TABLE _android_jank_cuj_main_thread AS
SELECT c.cuj_id, c.upid, thread.utid, thread.name, t.id AS track_id
FROM android_jank_cuj AS c
JOIN thread ON thread.upid = c.upid
  AND iif(c.ui_thread IS NULL, thread.is_main_thread, thread.utid = c.ui_thread)
JOIN thread_track AS t ON t.utid = thread.utid;

CREATE PERFETTO VIEW _android_jank_cuj_sf_process AS
SELECT upid, name FROM _android_sf_process;

CREATE PERFETTO VIEW _android_jank_cuj_sf_gpu_completion_thread AS
SELECT * FROM _android_sf_thread('GPU completion');

CREATE PERFETTO VIEW _android_jank_cuj_sf_render_engine_thread AS
SELECT * FROM _android_sf_thread('RenderEngine');
