-- What held up the frames of user journeys.

INCLUDE PERFETTO MODULE android.critical_blocking_calls;
INCLUDE PERFETTO MODULE android.cujs.base;

-- The frames of journeys. What happens until the next frame begins, or until the thread begins to
-- draw again, belongs to a frame.
CREATE PERFETTO TABLE _extended_frame_boundary AS
SELECT f.frame_ts AS ts, f.ui_thread_utid, f.render_thread_utid, f.frame_id, f.layer_id, f.cuj_id,
  f.cuj_name, coalesce((
    SELECT min(d.ts)
    FROM _android_jank_cuj_do_frames AS d
    WHERE d.utid = f.ui_thread_utid AND d.ts BETWEEN f.ts_end AND f.next_ts
  ), f.next_ts, f.ts_end) AS ts_end
FROM (
  SELECT *, lead(frame_ts) OVER (PARTITION BY cuj_id ORDER BY frame_id) AS next_ts
  FROM _android_distinct_frames_in_cuj
) AS f
ORDER BY f.frame_id;

-- The calls of the threads that drew a frame, cut to it.
CREATE PERFETTO TABLE _blocking_calls_frame_cuj AS
SELECT min(call.dur, frame.ts_end - call.ts, call.ts_end - frame.ts) AS dur,
  max(call.ts, frame.ts) AS ts, call.upid, call.name, call.process_name, call.utid, frame.frame_id,
  frame.layer_id, frame.cuj_id, frame.cuj_name
FROM (
  SELECT *, ui_thread_utid AS utid FROM _extended_frame_boundary
  UNION ALL
  SELECT *, render_thread_utid
  FROM _extended_frame_boundary
  WHERE render_thread_utid <> ui_thread_utid
) AS frame
JOIN _android_critical_blocking_calls AS call USING (utid)
WHERE call.ts BETWEEN frame.ts AND frame.ts_end OR call.ts_end BETWEEN frame.ts AND frame.ts_end;
