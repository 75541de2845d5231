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

-- The rows (id, parent_id, depth and the column) in which the column is not NULL. Their parent is the
-- nearest ancestor that is left, their depth is the parent's, 0 without one.
CREATE PERFETTO MACRO _slice_remove_nulls_and_reparent(
  slice_table TableOrSubquery, column_name ColumnName
) RETURNS TableOrSubquery AS (
  WITH _kept AS MATERIALIZED (SELECT * FROM $slice_table WHERE $column_name IS NOT NULL)
  SELECT id, parent_id, depth, $column_name FROM _kept WHERE depth = 0
  UNION ALL
  SELECT id, _parent_id, coalesce((SELECT depth FROM _kept WHERE id = _parent_id), 0), $column_name
  FROM (
    SELECT id, $column_name, (
        SELECT above.id
        FROM ancestor_slice(child.id) AS above
        WHERE above.id IN (SELECT id FROM _kept)
        ORDER BY above.depth DESC
        LIMIT 1
      ) AS _parent_id
    FROM _kept AS child
    WHERE depth > 0
  )
);
