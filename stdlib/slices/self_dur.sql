-- The part of each slice's duration that none of its children covers.

CREATE PERFETTO TABLE slice_self_dur(id ID(slice.id), self_dur DURATION) AS
SELECT slice.id, slice.dur - coalesce(inside.dur, 0) AS self_dur
FROM slice
LEFT JOIN (
  SELECT parent_id, sum(dur) AS dur FROM slice WHERE parent_id IS NOT NULL GROUP BY parent_id
) AS inside ON inside.parent_id = slice.id;
