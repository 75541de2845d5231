-- The part of each slice's duration that none of its children covers.

-- How long the slices right inside each slice are together.
CREATE PERFETTO VIEW _slice_children_dur AS
SELECT parent_id AS id, sum(dur) AS child_dur_sum
FROM slice
WHERE parent_id IS NOT NULL
GROUP BY parent_id;

-- Each slice with the time that is its own.
CREATE PERFETTO TABLE slice_self_dur(
  -- Slice, joins slice.
  id ID(slice.id),
  -- Duration without that of the slices right inside, ns.
  self_dur DURATION
) AS
SELECT slice.id, slice.dur - coalesce(child_dur_sum, 0) AS self_dur
FROM slice
LEFT JOIN _slice_children_dur USING (id);
