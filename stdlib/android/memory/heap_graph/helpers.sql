-- From a tree of objects to a tree of their classes.

INCLUDE PERFETTO MODULE graphs.scan;

-- Classes of one name are one, whatever loader they come from.
CREATE PERFETTO TABLE _heap_graph_class_name_hash AS
SELECT id, hash(coalesce(deobfuscated_name, name, '')) AS name_hash
FROM heap_graph_class;

-- For each object of a tree (id, parent_id) a hash of the classes on the way from the root, and that
-- of the step above. Objects of one class that hold each other (lists) are one step.
CREATE PERFETTO MACRO _heap_graph_type_path_hash(tab TableOrSubquery) RETURNS TableOrSubquery AS (
  SELECT id, path_hash, parent_path_hash
  FROM _graph_scan!(
    (SELECT parent_id AS source_node_id, id AS dest_node_id FROM $tab WHERE parent_id IS NOT NULL),
    (SELECT o.id, c.name_hash AS class_hash,
       hash(o.upid, o.graph_sample_ts, c.name_hash, coalesce(o.root_type, ''),
         coalesce(o.heap_type, '')) AS path_hash,
       0 AS parent_path_hash
     FROM $tab AS tree
     JOIN heap_graph_object AS o ON o.id = tree.id
     JOIN _heap_graph_class_name_hash AS c ON c.id = o.type_id
     WHERE tree.parent_id IS NULL),
    (class_hash, path_hash, parent_path_hash),
    (SELECT t.id, c.name_hash AS class_hash,
       iif(c.name_hash = t.class_hash, t.path_hash,
         hash(t.path_hash, c.name_hash, coalesce(o.heap_type, ''))) AS path_hash,
       iif(c.name_hash = t.class_hash, t.parent_path_hash, t.path_hash) AS parent_path_hash
     FROM $table AS t
     JOIN heap_graph_object AS o ON o.id = t.id
     JOIN _heap_graph_class_name_hash AS c ON c.id = o.type_id)
  )
  ORDER BY id
);

-- The objects of each path (id, path_hash, parent_path_hash) summed up. Native memory that is
-- registered for them is a path of its own below theirs.
CREATE PERFETTO MACRO _heap_graph_path_hash_aggregate(
  tab TableOrSubquery
) RETURNS TableOrSubquery AS (
  WITH _paths AS (
    SELECT o.graph_sample_ts, o.upid, h.path_hash, h.parent_path_hash,
      coalesce(c.deobfuscated_name, c.name) AS name, o.root_type, o.heap_type,
      count(*) AS self_count, sum(o.self_size) AS self_size,
      sum(o.native_size > 0) AS native_count, sum(o.native_size) AS native_size
    FROM $tab AS h
    JOIN heap_graph_object AS o ON o.id = h.id
    JOIN heap_graph_class AS c ON c.id = o.type_id
    GROUP BY h.path_hash
  )
  SELECT graph_sample_ts, upid, path_hash, parent_path_hash, name, root_type, heap_type, self_count,
    self_size
  FROM _paths
  UNION ALL
  SELECT graph_sample_ts, upid, hash(path_hash, 'native', ''), path_hash, '[native] ' || name,
    root_type, 'HEAP_TYPE_NATIVE', native_count, native_size
  FROM _paths
  WHERE native_size > 0
  ORDER BY path_hash
);

-- Such sums, in a Perfetto table, as a tree with ids.
CREATE PERFETTO MACRO _heap_graph_path_hashes_to_class_tree(
  tab TableOrSubquery
) RETURNS TableOrSubquery AS (
  SELECT node.graph_sample_ts, node.upid, node._auto_id AS id, parent._auto_id AS parent_id,
    node.name, node.root_type, node.heap_type, node.self_count, node.self_size,
    node.path_hash AS path_hash_stable
  FROM $tab AS node
  LEFT JOIN $tab AS parent ON parent.path_hash = node.parent_path_hash
  ORDER BY node._auto_id
);
