-- What tasks waited for: of each root, the chain of nodes that its time was owed to.

INCLUDE PERFETTO MODULE graphs.search;

-- The nodes that are reached from each root (root_node_id, capacity) along the edges
-- (source_node_id, dest_node_id, edge_weight) until their weights reach the capacity. An edge
-- without a destination leads back to where it comes from.
CREATE PERFETTO MACRO _critical_path(
  graph_table TableOrSubquery, root_table TableOrSubquery
) RETURNS TableOrSubquery AS (
  SELECT DISTINCT root_node_id AS root_id, parent_node_id AS parent_id, node_id AS id
  FROM graph_reachable_weight_bounded_dfs!(
    (SELECT source_node_id, coalesce(dest_node_id, source_node_id) AS dest_node_id, edge_weight
    FROM $graph_table
    WHERE source_node_id IS NOT NULL),
    (SELECT root_node_id, capacity AS root_target_weight FROM $root_table),
    1)
);

-- When each node (root_id, id) of a path was what the root waited for: from its own start to that of
-- the next, as far as the root (of `node_table`: id, ts, idle_dur) was idle.
CREATE PERFETTO MACRO _critical_path_to_intervals(
  critical_path_table TableOrSubquery, node_table TableOrSubquery
) RETURNS TableOrSubquery AS (
  SELECT ts, ts_end - ts AS dur, id, root_id
  FROM (
    SELECT path.root_id, path.id, max(path.ts, root.ts - root.idle_dur) AS ts,
      min(path.next_ts, root.ts) AS ts_end
    FROM (
      SELECT root_id, id, ts, lead(ts) OVER (PARTITION BY root_id ORDER BY id) AS next_ts
      FROM $critical_path_table
      JOIN $node_table USING (id)
    ) AS path
    JOIN $node_table AS root ON root.id = path.root_id
  )
  WHERE ts_end > ts
);

-- The same for the paths of the roots themselves, and then each root's own time.
CREATE PERFETTO MACRO _critical_path_intervals(
  graph_table TableOrSubquery, root_table TableOrSubquery, interval_table TableOrSubquery
) RETURNS TableOrSubquery AS (
  SELECT root_id, id, ts, dur
  FROM _critical_path_to_intervals!(
    (SELECT root_id, id FROM _critical_path!($graph_table, $root_table)), $interval_table)
  UNION ALL
  SELECT node.id AS root_id, node.id, node.ts, node.dur
  FROM $interval_table AS node
  JOIN $root_table AS root ON root.root_node_id = node.id
);
