-- Java heaps as trees of classes by what keeps objects alive: a node is what would be free without
-- the one above it.

INCLUDE PERFETTO MODULE android.memory.heap_graph.dominator_tree;
INCLUDE PERFETTO MODULE android.memory.heap_graph.helpers;

CREATE PERFETTO TABLE _heap_graph_dominator_path_hashes AS
SELECT *
FROM _heap_graph_type_path_hash!((SELECT id, idom_id AS parent_id FROM _raw_heap_graph_dominator_tree));

CREATE PERFETTO TABLE _heap_graph_dominator_path_hashes_aggregated AS
SELECT * FROM _heap_graph_path_hash_aggregate!(_heap_graph_dominator_path_hashes);

CREATE PERFETTO TABLE _heap_graph_dominator_class_tree AS
SELECT *
FROM _heap_graph_path_hashes_to_class_tree!(_heap_graph_dominator_path_hashes_aggregated);
