-- A slice with those around it, or in it.

CREATE PERFETTO FUNCTION _slice_ancestor_and_self(slice_id LONG) RETURNS TABLE(
  id LONG, ts LONG, dur LONG, track_id LONG, category STRING, name STRING, depth LONG,
  parent_id LONG, arg_set_id LONG, thread_ts LONG, thread_dur LONG
) AS
SELECT s.id, s.ts, s.dur, s.track_id, s.category, s.name, s.depth, s.parent_id,
  s.arg_set_id, s.thread_ts, s.thread_dur
FROM (SELECT $slice_id AS id UNION ALL SELECT id FROM ancestor_slice($slice_id))
JOIN slice AS s USING (id);

CREATE PERFETTO FUNCTION _slice_descendant_and_self(slice_id LONG) RETURNS TABLE(
  id LONG, ts LONG, dur LONG, track_id LONG, category STRING, name STRING, depth LONG,
  parent_id LONG, arg_set_id LONG, thread_ts LONG, thread_dur LONG
) AS
SELECT s.id, s.ts, s.dur, s.track_id, s.category, s.name, s.depth, s.parent_id,
  s.arg_set_id, s.thread_ts, s.thread_dur
FROM (SELECT $slice_id AS id UNION ALL SELECT id FROM descendant_slice($slice_id))
JOIN slice AS s USING (id);
