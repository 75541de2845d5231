-- The part of each slice's duration that none of its children covers.

CREATE PERFETTO TABLE slice_self_dur(id ID(slice.id), self_dur DURATION) AS
SELECT slice.id, slice.dur - coalesce(sum(child.dur), 0) AS self_dur
FROM slice
LEFT JOIN slice AS child ON child.parent_id = slice.id
GROUP BY slice.id;
