-- The threads that draw in the processes of user journeys.

INCLUDE PERFETTO MODULE android.cujs.base;

CREATE PERFETTO FUNCTION android_jank_cuj_app_thread(thread_name STRING) RETURNS TABLE(
  cuj_id LONG, upid JOINID(process.id), utid LONG, name STRING, track_id LONG
) AS
SELECT c.cuj_id, c.upid, thread.utid, thread.name, t.id AS track_id
FROM android_jank_cuj AS c
JOIN thread ON thread.upid = c.upid AND thread.name = $thread_name
JOIN thread_track AS t ON t.utid = thread.utid;

CREATE PERFETTO TABLE android_jank_cuj_render_thread(
  cuj_id LONG, upid JOINID(process.id), utid JOINID(thread.id), name STRING,
  track_id JOINID(track.id)
) AS
SELECT cuj_id, upid, utid, name, track_id
FROM android_jank_cuj_app_thread('RenderThread');
