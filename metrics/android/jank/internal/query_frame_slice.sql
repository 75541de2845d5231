-- How much time slices took within frames. A template: PREFIX_slice_in_frame has the slices of
-- `relevant_slice_table_name` that `slice_table_name` has, too, cut to the frames of
-- `frame_boundary_table_name`; PREFIX_slice_in_frame_agg sums them up by frame of
-- `frame_table_name`. PREFIX is `table_name_prefix`.
DROP TABLE IF EXISTS {{table_name_prefix}}_query_slice;
CREATE PERFETTO TABLE {{table_name_prefix}}_query_slice AS
SELECT DISTINCT wanted.cuj_id, wanted.utid, wanted.id, wanted.name, wanted.ts, wanted.dur, wanted.ts_end
FROM {{relevant_slice_table_name}} AS wanted
JOIN {{slice_table_name}} AS own ON own.cuj_id = wanted.cuj_id AND own.id = wanted.id;

DROP VIEW IF EXISTS {{table_name_prefix}}_slice_in_frame;
CREATE PERFETTO VIEW {{table_name_prefix}}_slice_in_frame AS
SELECT
  frame.*, s.id AS slice_id, s.utid AS slice_utid, s.name AS slice_name,
  max(s.ts, bound.ts) AS slice_ts, min(s.ts_end, bound.ts_end) AS slice_ts_end,
  min(s.ts_end, bound.ts_end) - max(s.ts, bound.ts) AS slice_dur, s.ts_end AS ts_end_original
FROM {{frame_table_name}} AS frame
JOIN {{frame_boundary_table_name}} AS bound ON bound.cuj_id = frame.cuj_id
  AND bound.vsync = frame.vsync
JOIN {{table_name_prefix}}_query_slice AS s ON s.cuj_id = bound.cuj_id
  AND android_jank_cuj_slice_overlaps(bound.ts, bound.dur, s.ts, s.dur);

DROP VIEW IF EXISTS {{table_name_prefix}}_slice_in_frame_agg;
CREATE PERFETTO VIEW {{table_name_prefix}}_slice_in_frame_agg AS
SELECT
  cuj_id, frame_number, vsync, dur_expected, app_missed, sf_missed,
  1.0 * sum(slice_dur) / dur_expected AS slice_dur_div_frame_dur_expected,
  sum(slice_dur) AS slice_dur_sum, max(slice_dur) AS slice_dur_max
FROM {{table_name_prefix}}_slice_in_frame
GROUP BY cuj_id, frame_number, vsync, dur_expected, app_missed, sf_missed;
