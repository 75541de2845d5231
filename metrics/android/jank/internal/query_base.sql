-- Which tables tell a thread's slices, the time that it worked on frames and on journeys, and frames.
CREATE OR REPLACE PERFETTO TABLE android_jank_cuj_table_set AS
SELECT
  name, 'android_jank_cuj_' || slices AS slice_table_name,
  'android_jank_cuj_' || frame_bounds AS frame_boundary_table_name,
  'android_jank_cuj_' || bounds AS cuj_boundary_table_name,
  'android_jank_cuj_' || frames AS frame_table_name
FROM (
  SELECT
    column1 AS name, column2 AS slices, column3 AS frame_bounds, column4 AS bounds,
    column5 AS frames
  FROM (VALUES
    ('App threads', 'slice', 'frame', 'boundary', 'frame'),
    ('MainThread', 'main_thread_slice', 'main_thread_frame_boundary', 'main_thread_cuj_boundary',
      'frame'),
    ('RenderThread', 'render_thread_slice', 'render_thread_frame_boundary',
      'render_thread_cuj_boundary', 'frame'),
    ('SF threads', 'sf_slice', 'sf_frame', 'sf_boundary', 'sf_frame'),
    ('SF MainThread', 'sf_main_thread_slice', 'sf_main_thread_frame_boundary',
      'sf_main_thread_cuj_boundary', 'sf_frame'),
    ('SF RenderEngine', 'sf_render_engine_slice', 'sf_render_engine_frame_boundary', 'sf_boundary',
      'sf_frame'))
);

CREATE OR REPLACE PERFETTO FUNCTION android_jank_cuj_table_set_slice(table_set STRING)
RETURNS STRING AS
SELECT slice_table_name FROM android_jank_cuj_table_set WHERE name = $table_set;

CREATE OR REPLACE PERFETTO FUNCTION android_jank_cuj_table_set_frame_boundary(table_set STRING)
RETURNS STRING AS
SELECT frame_boundary_table_name FROM android_jank_cuj_table_set WHERE name = $table_set;

CREATE OR REPLACE PERFETTO FUNCTION android_jank_cuj_table_set_cuj_boundary(table_set STRING)
RETURNS STRING AS
SELECT cuj_boundary_table_name FROM android_jank_cuj_table_set WHERE name = $table_set;

CREATE OR REPLACE PERFETTO FUNCTION android_jank_cuj_table_set_frame(table_set STRING)
RETURNS STRING AS
SELECT frame_table_name FROM android_jank_cuj_table_set WHERE name = $table_set;

-- Whether two intervals have time in common.
CREATE OR REPLACE PERFETTO FUNCTION android_jank_cuj_slice_overlaps(
  ts LONG, dur LONG, ts_second LONG, dur_second LONG)
RETURNS BOOL AS
SELECT $ts < $ts_second + $dur_second AND $ts_second < $ts + $dur;
