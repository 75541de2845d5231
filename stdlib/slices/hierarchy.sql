-- A slice with those around it, or in it.

CREATE PERFETTO FUNCTION _slice_ancestor_and_self(
  slice_id JOINID(slice.id)
) RETURNS TABLE(
  id JOINID(slice.id), ts TIMESTAMP, dur DURATION, track_id JOINID(track.id), category STRING,
  name STRING, depth LONG, parent_id JOINID(slice.id), arg_set_id ARGSETID, thread_ts TIMESTAMP,
  thread_dur DURATION
) AS
SELECT s.id, s.ts, s.dur, s.track_id, s.category, s.name, s.depth, s.parent_id,
  s.arg_set_id, s.thread_ts, s.thread_dur
FROM (SELECT $slice_id AS id UNION ALL SELECT id FROM ancestor_slice($slice_id))
JOIN slice AS s USING (id);

CREATE PERFETTO FUNCTION _slice_descendant_and_self(
  slice_id JOINID(slice.id)
) RETURNS TABLE(
  id JOINID(slice.id), ts TIMESTAMP, dur DURATION, track_id JOINID(track.id), category STRING,
  name STRING, depth LONG, parent_id JOINID(slice.id), arg_set_id ARGSETID, thread_ts TIMESTAMP,
  thread_dur DURATION
) AS
SELECT s.id, s.ts, s.dur, s.track_id, s.category, s.name, s.depth, s.parent_id,
  s.arg_set_id, s.thread_ts, s.thread_dur
FROM (SELECT $slice_id AS id UNION ALL SELECT id FROM descendant_slice($slice_id))
JOIN slice AS s USING (id);
