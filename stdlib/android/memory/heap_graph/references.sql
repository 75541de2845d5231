-- What keeps objects of a heap alive.

INCLUDE PERFETTO MODULE android.memory.heap_graph.excluded_refs;

-- A weak reference keeps nothing alive: what it refers to is not followed.
CREATE PERFETTO TABLE _strong_references AS
SELECT r.owner_id AS source_node_id, r.owned_id AS dest_node_id
FROM heap_graph_reference AS r
JOIN heap_graph_object AS o ON o.id = r.owner_id
WHERE r.owned_id IS NOT NULL AND o.reachable AND r.id NOT IN (SELECT id FROM _excluded_refs);
