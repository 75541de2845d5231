-- Native memory by callstack, over all profiles of the trace: what was not freed, and all that was
-- allocated.

INCLUDE PERFETTO MODULE callstacks.stack_profile;
INCLUDE PERFETTO MODULE graphs.scan;

CREATE PERFETTO TABLE _heap_profile_callsites AS
SELECT callsite_id, sum(size) AS size, sum(max(size, 0)) AS alloc_size
FROM heap_profile_allocation
GROUP BY callsite_id;

CREATE PERFETTO TABLE _heap_profile_functions AS
SELECT f.id, f.parent_id, f.name, f.mapping_name, f.source_file, f.line_number,
  iif(f.is_leaf_function_in_callsite_frame, coalesce(a.size, 0), 0) AS self_size,
  iif(f.is_leaf_function_in_callsite_frame, coalesce(a.alloc_size, 0), 0) AS self_alloc_size
FROM _callstacks_for_callsites!(_heap_profile_callsites) AS f
LEFT JOIN _heap_profile_callsites AS a ON a.callsite_id = f.callsite_id;

CREATE PERFETTO TABLE _heap_profile_sums AS
SELECT id, size, alloc_size
FROM _graph_aggregating_scan!(
  (SELECT id AS source_node_id, parent_id AS dest_node_id FROM _heap_profile_functions
   WHERE parent_id IS NOT NULL),
  (SELECT id, self_size AS size, self_alloc_size AS alloc_size FROM _heap_profile_functions
   WHERE id NOT IN (SELECT parent_id FROM _heap_profile_functions WHERE parent_id IS NOT NULL)),
  (size, alloc_size),
  (SELECT t.id, sum(t.size) + f.self_size AS size, sum(t.alloc_size) + f.self_alloc_size
     AS alloc_size
   FROM $table AS t
   JOIN _heap_profile_functions AS f ON f.id = t.id
   GROUP BY t.id)
);

-- One row per function and path of callers. Sizes are in bytes.
CREATE PERFETTO TABLE android_heap_profile_summary_tree(
  -- Number of the node.
  id LONG,
  -- The caller (joins `id`); NULL for the outermost function.
  parent_id LONG,
  -- Name of the function.
  name STRING,
  -- Library or binary that has the function.
  mapping_name STRING,
  -- Source file of the call; NULL without symbols.
  source_file STRING,
  -- Line in the source file; NULL without symbols.
  line_number LONG,
  -- Allocated by the function itself and not freed.
  self_size LONG,
  -- Allocated by the function and all that it called, and not freed.
  cumulative_size LONG,
  -- Allocated by the function itself, freed or not.
  self_alloc_size LONG,
  -- Allocated by the function and all that it called, freed or not.
  cumulative_alloc_size LONG
) AS
SELECT f.id, f.parent_id, f.name, f.mapping_name, f.source_file, f.line_number, f.self_size,
  s.size AS cumulative_size, f.self_alloc_size, s.alloc_size AS cumulative_alloc_size
FROM _heap_profile_functions AS f
JOIN _heap_profile_sums AS s ON s.id = f.id
ORDER BY f.id;
