-- What keeps objects of a heap alive.

-- A weak reference keeps nothing alive: what it refers to is not followed.
CREATE PERFETTO TABLE _strong_references AS
SELECT r.owner_id AS source_node_id, r.owned_id AS dest_node_id
FROM heap_graph_reference AS r
JOIN heap_graph_object AS o ON o.id = r.owner_id
JOIN heap_graph_class AS c ON c.id = o.type_id
WHERE r.owned_id IS NOT NULL AND o.reachable
  AND NOT (r.field_name = 'java.lang.ref.Reference.referent' AND c.kind IN (
    'KIND_FINALIZER_REFERENCE', 'KIND_PHANTOM_REFERENCE', 'KIND_WEAK_REFERENCE'));
