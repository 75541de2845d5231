-- Slices as a tree of what they spent themselves, for a flame graph.

INCLUDE PERFETTO MODULE graphs.scan;

-- Of the slices `inits` (id, dur) and all around them. `inits` have their whole time for themselves:
-- none of them is around another.
CREATE PERFETTO MACRO _viz_slice_ancestor_agg(inits TableOrSubquery) RETURNS TableOrSubquery AS (
  SELECT id, parent_id AS parentId, name, self_dur, self_count
  FROM _graph_aggregating_scan!(
    (SELECT id AS source_node_id, parent_id AS dest_node_id FROM slice
     WHERE parent_id IS NOT NULL),
    (SELECT id, dur, dur AS self_dur, 1 AS self_count FROM $inits),
    (dur, self_dur, self_count),
    (SELECT s.id, s.dur, s.dur - inside.dur AS self_dur, 0 AS self_count
     FROM (SELECT t.id, sum(t.dur) AS dur FROM $table AS t GROUP BY t.id) AS inside
     JOIN slice AS s USING (id))
  )
  JOIN slice USING (id)
);
