-- When threads worked on each frame of a journey, and on the journey: from when they were expected to
-- begin, but not before the frame before it was done.
SELECT run_metric('android/jank/relevant_slices.sql');

CREATE OR REPLACE PERFETTO TABLE android_jank_cuj_main_thread_frame_boundary AS
SELECT
  d.cuj_id, d.utid, d.vsync, d.ts_do_frame_start, d.ts_end, d.ts_prev_do_frame_end, d.ts_expected,
  d.ts, d.dur
FROM _android_jank_cuj_main_thread_frame_boundary AS d
JOIN android_jank_cuj AS c USING (cuj_id);

-- The render thread is expected to begin when the main thread first waits for it.
CREATE OR REPLACE PERFETTO TABLE android_jank_cuj_render_thread_frame_boundary AS
SELECT *, ts_end - ts AS dur
FROM (
  SELECT
    r.cuj_id, r.utid, r.vsync, min(wait.ts) AS ts_expected, min(r.ts) AS ts_draw_frame_start,
    min(r.previous_end) AS ts_prev_draw_frame_end,
    min(max(min(wait.ts), min(r.previous_end)), min(r.ts)) AS ts, max(r.ts_end) AS ts_end
  FROM (
    SELECT
      *, coalesce(lag(ts_end) OVER (PARTITION BY cuj_id ORDER BY vsync, ts), -1) AS previous_end
    FROM android_jank_cuj_draw_frame_slice
  ) AS r
  JOIN _android_jank_cuj_do_frames AS d ON d.cuj_id = r.cuj_id AND d.vsync = r.vsync
  JOIN descendant_slice(d.id) AS wait ON wait.name = 'postAndWait'
  GROUP BY r.cuj_id, r.utid, r.vsync
);

CREATE OR REPLACE PERFETTO TABLE android_jank_cuj_sf_main_thread_frame_boundary AS
SELECT *, ts_end - ts AS dur
FROM (
  SELECT
    root.cuj_id, root.utid, root.vsync, e.ts, min(root.ts) AS ts_main_thread_start,
    max(root.ts_end) AS ts_end
  FROM android_jank_cuj_sf_root_slice AS root
  JOIN android_jank_cuj_sf_process AS p
  JOIN expected_frame_timeline_slice AS e ON e.upid = p.upid AND CAST(e.name AS INT) = root.vsync
  GROUP BY root.cuj_id, root.utid, root.vsync, e.id
);

CREATE OR REPLACE PERFETTO TABLE android_jank_cuj_sf_render_engine_frame_boundary AS
SELECT
  cuj_id, utid, vsync, ts_compose_surfaces AS ts, ts AS ts_draw_layers_start, ts_end,
  ts_end - ts_compose_surfaces AS dur
FROM android_jank_cuj_sf_draw_layers_slice;

CREATE OR REPLACE PERFETTO TABLE android_jank_cuj_main_thread_cuj_boundary AS
SELECT cuj_id, utid, min(ts) AS ts, max(ts_end) AS ts_end, max(ts_end) - min(ts) AS dur
FROM android_jank_cuj_main_thread_frame_boundary
GROUP BY cuj_id, utid;

CREATE OR REPLACE PERFETTO TABLE android_jank_cuj_render_thread_cuj_boundary AS
SELECT cuj_id, utid, min(ts) AS ts, max(ts_end) AS ts_end, max(ts_end) - min(ts) AS dur
FROM android_jank_cuj_render_thread_frame_boundary
GROUP BY cuj_id, utid;

CREATE OR REPLACE PERFETTO TABLE android_jank_cuj_sf_main_thread_cuj_boundary AS
SELECT cuj_id, utid, min(ts) AS ts, max(ts_end) AS ts_end, max(ts_end) - min(ts) AS dur
FROM android_jank_cuj_sf_main_thread_frame_boundary
GROUP BY cuj_id, utid;

CREATE OR REPLACE PERFETTO TABLE android_jank_cuj_sf_boundary AS
SELECT cuj_id, ts, ts_end, dur
FROM android_jank_cuj_sf_main_thread_cuj_boundary;

-- A journey ends when its last frame is on the screen. Where that has nothing to show, it ends with
-- the frame's callback or with the journey's own end, whichever is later.
CREATE OR REPLACE PERFETTO TABLE android_jank_cuj_boundary AS
SELECT *, ts_end - ts AS dur
FROM (
  SELECT
    c.cuj_id, c.upid, b.ts,
    coalesce((
      SELECT max(a.ts + a.dur)
      FROM actual_frame_timeline_slice AS a
      WHERE a.upid = c.upid AND CAST(a.name AS INT) = b.last_vsync
    ), max(b.ts_end, c.ts_end)) AS ts_end
  FROM android_jank_cuj AS c
  JOIN (
    SELECT cuj_id, min(ts) AS ts, max(ts_end) AS ts_end, max(vsync) AS last_vsync
    FROM android_jank_cuj_main_thread_frame_boundary
    GROUP BY cuj_id
  ) AS b ON b.cuj_id = c.cuj_id
);
