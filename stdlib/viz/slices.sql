-- Slices with their places, and as a tree of what they spent themselves, for a flame graph.

INCLUDE PERFETTO MODULE graphs.scan;
INCLUDE PERFETTO MODULE slices.with_context;

-- Of the slices `inits` (id, dur) and all of `nodes` (id, parent_id, name, dur) around them. `inits`
-- have their whole time for themselves: none of them is around another.
CREATE PERFETTO MACRO _viz_slice_ancestor_agg(
  inits TableOrSubquery, nodes TableOrSubquery
) RETURNS TableOrSubquery AS (
  SELECT id, parent_id AS parentId, name, self_dur, self_count, 1 AS simple_count
  FROM _graph_aggregating_scan!(
    (SELECT id AS source_node_id, parent_id AS dest_node_id FROM $nodes
     WHERE parent_id IS NOT NULL),
    (SELECT id, dur, dur AS self_dur, 1 AS self_count FROM $inits),
    (dur, self_dur, self_count),
    (SELECT s.id, s.dur, s.dur - inside.dur AS self_dur, 0 AS self_count
     FROM (SELECT t.id, sum(t.dur) AS dur FROM $table AS t GROUP BY t.id) AS inside
     JOIN $nodes AS s USING (id))
  )
  JOIN $nodes USING (id)
);

-- All slices; those of no thread and no process have NULL for both.
CREATE PERFETTO VIEW _viz_slices_for_ui_table AS
SELECT id, ts, dur, category, name, track_id, track_name, thread_name, utid, tid, process_name,
  upid, pid, depth, parent_id, arg_set_id
FROM thread_or_process_slice
UNION ALL
SELECT s.id, s.ts, s.dur, s.category, s.name, s.track_id, t.name, NULL, NULL, NULL, NULL, NULL,
  NULL, s.depth, s.parent_id, s.arg_set_id
FROM slice AS s
JOIN track AS t ON t.id = s.track_id
WHERE s.track_id NOT IN (SELECT id FROM thread_track UNION ALL SELECT id FROM process_track);
