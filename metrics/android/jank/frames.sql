-- The frames of journeys: when they were drawn, by when they should have been, and whose fault it is
-- that they were late. A frame is as late as the last of its layers.
INCLUDE PERFETTO MODULE android.cujs.frames;
SELECT run_metric('android/jank/relevant_threads.sql');

-- From when frames were expected to begin to the end of the last of their layers.
CREATE OR REPLACE PERFETTO TABLE android_jank_cuj_frame AS
SELECT
  d.cuj_id, row_number() OVER (PARTITION BY d.cuj_id ORDER BY d.vsync) AS frame_number, d.vsync,
  d.ts, a.ts_end, a.ts_end - d.ts AS dur, a.longest_layer, e.dur AS dur_expected, a.app_missed, a.sf_missed, a.jank_score
FROM _android_jank_cuj_main_thread_frame_boundary AS d
JOIN (
  SELECT
    c.cuj_id, c.upid, CAST(s.name AS INT) AS vsync, max(s.ts + s.dur) AS ts_end, max(s.dur) AS longest_layer,
    max(android_is_app_jank_type(s.jank_type)) AS app_missed,
    max(android_is_sf_jank_type(s.jank_type)) AS sf_missed, max(s.jank_score) AS jank_score
  FROM android_jank_cuj AS c
  JOIN actual_frame_timeline_slice AS s ON s.upid = c.upid
  LEFT JOIN android_jank_cuj_layer_name AS l ON l.cuj_id = c.cuj_id
  WHERE s.dur >= 0 AND (l.layer_name IS NULL OR l.layer_name = s.layer_name)
  GROUP BY c.cuj_id, vsync
) AS a ON a.cuj_id = d.cuj_id AND a.vsync = d.vsync
LEFT JOIN (
  SELECT upid, CAST(name AS INT) AS vsync, max(dur) AS dur
  FROM expected_frame_timeline_slice
  GROUP BY upid, vsync
) AS e ON e.upid = a.upid AND e.vsync = d.vsync
GROUP BY d.cuj_id, d.vsync;

-- SurfaceFlinger's frames that showed those: up to the end of their composition on the main thread.
CREATE OR REPLACE PERFETTO TABLE android_jank_cuj_sf_frame AS
SELECT
  f.cuj_id, row_number() OVER (PARTITION BY f.cuj_id ORDER BY f.vsync) AS frame_number, f.vsync,
  min(a.ts) AS ts, max(composite.ts + composite.dur) AS ts_end,
  max(composite.ts + composite.dur) - min(a.ts) AS dur, e.dur AS dur_expected, NULL AS app_missed,
  max(android_is_sf_jank_type(a.jank_type)) AS sf_missed, max(a.jank_score) AS jank_score
FROM (
  SELECT DISTINCT j.cuj_id, s.display_frame_token AS vsync
  FROM android_jank_cuj_frame AS j
  JOIN android_jank_cuj AS c ON c.cuj_id = j.cuj_id
  JOIN actual_frame_timeline_slice AS s ON s.upid = c.upid AND CAST(s.name AS INT) = j.vsync
  LEFT JOIN android_jank_cuj_layer_name AS l ON l.cuj_id = j.cuj_id
  WHERE l.layer_name IS NULL OR l.layer_name = s.layer_name
) AS f
JOIN actual_frame_timeline_slice AS a ON a.display_frame_token = f.vsync
  AND a.surface_frame_token IS NULL
JOIN android_jank_cuj_sf_main_thread AS main ON main.upid = a.upid
JOIN slice AS composite ON composite.track_id = main.track_id AND composite.dur >= 0
  AND (composite.name = 'composite ' || f.vsync OR composite.name = 'onMessageRefresh ' || f.vsync)
LEFT JOIN expected_frame_timeline_slice AS e ON e.upid = a.upid AND e.name = a.name
GROUP BY f.cuj_id, f.vsync;
