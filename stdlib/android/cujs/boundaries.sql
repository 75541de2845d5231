-- When the frames of a journey begin and end on the threads that make them.

INCLUDE PERFETTO MODULE android.cujs.base;
INCLUDE PERFETTO MODULE android.cujs.relevant_slices;
INCLUDE PERFETTO MODULE android.surfaceflinger;

-- The first and last frame: as the journey says, else of those on its thread.
CREATE PERFETTO TABLE _android_jank_cuj_vsync_boundary AS
SELECT c.cuj_id, c.upid, c.layer_id, coalesce(c.begin_vsync, min(frame.vsync)) AS vsync_min,
  coalesce(c.end_vsync, max(frame.vsync)) AS vsync_max
FROM android_jank_cuj AS c
JOIN _android_jank_cuj_do_frames AS frame USING (cuj_id)
GROUP BY c.cuj_id;

-- When frames were expected to begin, and when their layers did and ended.
CREATE PERFETTO TABLE _cuj_frame_times AS
SELECT e.upid, CAST(e.name AS INTEGER) AS vsync, e.ts AS ts_expected, min(a.ts) AS first_ts,
  max(a.ts + a.dur) AS last_end
FROM expected_frame_timeline_slice AS e
JOIN actual_frame_timeline_slice AS a ON a.upid = e.upid AND a.name = e.name
WHERE e.dur > 0
GROUP BY e.upid, vsync, e.ts;

-- A frame begins when it was expected to, but not before the last one ended; where the timeline does
-- not fit (its clock may have drifted, a frame far too late has no expected time), with its callback.
CREATE PERFETTO TABLE _android_jank_cuj_main_thread_frame_boundary AS
SELECT *, ts_end - ts AS dur
FROM (
  SELECT frame.cuj_id, frame.utid, frame.vsync, frame.ts AS ts_do_frame_start, frame.ts_end,
    ts_prev_do_frame_end, t.ts_expected,
    iif(t.ts_expected IS NULL, frame.ts, max(ts_prev_do_frame_end, t.ts_expected)) AS ts
  FROM (
    SELECT *, lag(ts_end, 1, -1) OVER (PARTITION BY cuj_id ORDER BY vsync) AS ts_prev_do_frame_end
    FROM _android_jank_cuj_do_frames
  ) AS frame
  LEFT JOIN _android_jank_cuj_vsync_boundary AS range USING (cuj_id)
  LEFT JOIN _cuj_frame_times AS t ON t.upid = range.upid AND t.vsync = frame.vsync
    AND t.vsync BETWEEN range.vsync_min AND range.vsync_max
    AND frame.ts BETWEEN t.first_ts - 1000000 AND t.last_end
);

-- The time that all of them take.
CREATE PERFETTO TABLE _android_jank_cuj_main_thread_cuj_boundary AS
SELECT cuj_id, utid, min(ts) AS ts, max(ts_end) AS ts_end, max(ts_end) - min(ts) AS dur
FROM _android_jank_cuj_main_thread_frame_boundary
GROUP BY cuj_id, utid;

-- The render thread's part of a frame begins when the main thread hands it over, but not before the
-- last drawing ended.
CREATE PERFETTO TABLE _android_jank_cuj_render_thread_frame_boundary AS
SELECT *, ts_end - ts AS dur
FROM (
  SELECT cuj_id, utid, vsync, ts_expected, ts_draw_frame_start, ts_prev_draw_frame_end,
    min(max(ts_expected, ts_prev_draw_frame_end), ts_draw_frame_start) AS ts, ts_end
  FROM (
    SELECT draw.cuj_id, draw.utid, draw.vsync, min(hand_over.ts) AS ts_expected,
      min(draw.ts) AS ts_draw_frame_start,
      min(draw.ts_prev_draw_frame_end) AS ts_prev_draw_frame_end, max(draw.ts_end) AS ts_end
    FROM (
      SELECT *,
        lag(ts_end, 1, -1) OVER (PARTITION BY cuj_id ORDER BY vsync, ts) AS ts_prev_draw_frame_end
      FROM _android_jank_cuj_draw_frame_slice
    ) AS draw
    JOIN _android_jank_cuj_do_frames AS frame USING (cuj_id, vsync)
    JOIN descendant_slice(frame.id) AS hand_over ON hand_over.name = 'postAndWait'
    GROUP BY draw.cuj_id, draw.utid, draw.vsync
  )
);

-- The same of the render thread.
CREATE PERFETTO TABLE _android_jank_cuj_render_thread_cuj_boundary AS
SELECT cuj_id, utid, min(ts) AS ts, max(ts_end) AS ts_end, max(ts_end) - min(ts) AS dur
FROM _android_jank_cuj_render_thread_frame_boundary
GROUP BY cuj_id, utid;

-- A journey ends when its last frame was shown, else with its last callback, if that ends later than
-- the journey.
CREATE PERFETTO TABLE _android_jank_cuj_boundary AS
SELECT *, ts_end - ts AS dur
FROM (
  SELECT c.cuj_id, c.upid, main.ts,
    coalesce(max(shown.ts + shown.dur), max((
      SELECT max(ts_end) FROM _android_jank_cuj_do_frames AS frame WHERE frame.cuj_id = c.cuj_id
    ), c.ts_end)) AS ts_end
  FROM _android_jank_cuj_main_thread_cuj_boundary AS main
  JOIN android_jank_cuj AS c USING (cuj_id)
  JOIN _android_jank_cuj_vsync_boundary AS range USING (cuj_id)
  LEFT JOIN actual_frame_timeline_slice AS shown
    ON shown.upid = c.upid AND CAST(shown.name AS INTEGER) = range.vsync_max
  GROUP BY c.cuj_id, c.upid, main.ts
);

-- The same of SurfaceFlinger.
CREATE PERFETTO TABLE _android_jank_cuj_sf_vsync_boundary AS
SELECT cuj_id, min(vsync) AS vsync_min, max(vsync) AS vsync_max
FROM _android_jank_cuj_sf_root_slice
GROUP BY cuj_id;

-- The time that its main thread takes.
CREATE PERFETTO TABLE _android_jank_cuj_sf_main_thread_cuj_boundary AS
SELECT cuj_id, utid, min(ts) AS ts, max(ts_end) AS ts_end, max(ts_end) - min(ts) AS dur
FROM _android_jank_cuj_sf_main_thread_frame_boundary
GROUP BY cuj_id, utid;

CREATE PERFETTO VIEW _android_jank_cuj_sf_boundary AS
SELECT cuj_id, ts, ts_end, dur FROM _android_jank_cuj_sf_main_thread_cuj_boundary;

CREATE PERFETTO TABLE _android_jank_cuj_sf_render_engine_frame_boundary AS
SELECT cuj_id, utid, vsync, ts_compose_surfaces AS ts, ts AS ts_draw_layers_start, ts_end,
  ts_end - ts_compose_surfaces AS dur
FROM _android_jank_cuj_sf_draw_layers_slice;
