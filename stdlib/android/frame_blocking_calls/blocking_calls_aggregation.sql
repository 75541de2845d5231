-- What held up the frames of user journeys.

INCLUDE PERFETTO MODULE android.critical_blocking_calls;
INCLUDE PERFETTO MODULE android.cujs.sysui_cujs;

-- The frames that each journey's thread drew. What happens until the next begins belongs to a frame.
CREATE PERFETTO TABLE _extended_frame_boundary AS
SELECT frame_ts AS ts, ui_thread_utid, frame_id, layer_id, cuj_id, cuj_name,
  lead(frame_ts, 1, cuj_end) OVER (PARTITION BY cuj_id ORDER BY frame_ts) AS ts_end
FROM (
  SELECT s.ts AS frame_ts, c.ui_thread AS ui_thread_utid, f.frame_id, c.layer_id, f.cuj_id,
    c.cuj_name, c.ts_end AS cuj_end
  FROM _cuj_frames AS f
  JOIN android_sysui_jank_cujs AS c USING (cuj_id)
  JOIN slice AS s ON s.id = f.do_frame_id
  GROUP BY f.cuj_id, f.frame_id
)
ORDER BY frame_id;

-- The calls of the thread that drew a frame, cut to it.
CREATE PERFETTO VIEW _blocking_calls_frame_cuj AS
SELECT min(call.ts_end, frame.ts_end) - max(call.ts, frame.ts) AS dur, max(call.ts, frame.ts) AS ts,
  call.upid, call.name, call.process_name, call.utid, frame.frame_id, frame.layer_id,
  frame.cuj_id, frame.cuj_name
FROM _extended_frame_boundary AS frame
JOIN _android_critical_blocking_calls AS call ON call.utid = frame.ui_thread_utid
  AND (call.ts BETWEEN frame.ts AND frame.ts_end OR call.ts_end BETWEEN frame.ts AND frame.ts_end);
