-- Native memory by callstack, of some allocations.

INCLUDE PERFETTO MODULE callstacks.stack_profile;

-- What was not freed, and all that was allocated, of rows as those of heap_profile_allocation with
-- alloc_size and alloc_count.
CREATE PERFETTO MACRO _android_heap_profile_callstacks_for_allocations(
  allocations TableOrSubquery
) RETURNS TableOrSubquery AS (
  WITH _allocated AS MATERIALIZED (
    SELECT callsite_id, sum(size) AS size, sum(count) AS number, sum(alloc_size) AS alloc_size,
      sum(alloc_count) AS alloc_number
    FROM $allocations
    GROUP BY callsite_id
  )
  SELECT f.id, f.parent_id, f.name, f.mapping_name, f.source_file, f.line_number,
    coalesce(a.size, 0) AS self_size, coalesce(a.number, 0) AS self_count,
    coalesce(a.alloc_size, 0) AS self_alloc_size, coalesce(a.alloc_number, 0) AS self_alloc_count
  FROM _callstacks_for_stack_profile_samples!(_allocated) AS f
  LEFT JOIN _allocated AS a
    ON a.callsite_id = f.callsite_id AND f.is_leaf_function_in_callsite_frame
);
