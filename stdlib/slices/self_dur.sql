-- The part of each slice's duration that none of its children covers.

-- Each slice with the time that is its own.
CREATE PERFETTO TABLE slice_self_dur(
  -- Slice, joins slice.
  id ID(slice.id),
  -- Duration without that of the slices right inside, ns.
  self_dur DURATION
) AS
SELECT slice.id, slice.dur - coalesce(inside.dur, 0) AS self_dur
FROM slice
LEFT JOIN (
  SELECT parent_id, sum(dur) AS dur FROM slice WHERE parent_id IS NOT NULL GROUP BY parent_id
) AS inside ON inside.parent_id = slice.id;
