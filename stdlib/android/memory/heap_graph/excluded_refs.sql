-- References that keep nothing alive.

-- Classes whose objects refer to something without holding it.
CREATE PERFETTO TABLE _ref_type_ids AS
SELECT id AS type_id
FROM heap_graph_class
WHERE kind IN ('KIND_FINALIZER_REFERENCE', 'KIND_PHANTOM_REFERENCE', 'KIND_WEAK_REFERENCE')
ORDER BY id;

-- What those objects refer to: heap_graph_reference.id.
CREATE PERFETTO TABLE _excluded_refs AS
SELECT r.id
FROM heap_graph_reference AS r
JOIN heap_graph_object AS o ON o.id = r.owner_id
WHERE r.field_name = 'java.lang.ref.Reference.referent'
  AND o.type_id IN (SELECT type_id FROM _ref_type_ids)
ORDER BY r.id;
