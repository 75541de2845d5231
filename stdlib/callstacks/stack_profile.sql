-- Callstacks as trees of function names.

INCLUDE PERFETTO MODULE graphs.hierarchy;
INCLUDE PERFETTO MODULE graphs.scan;
INCLUDE PERFETTO MODULE v8.jit;

-- One row for each function of each callsite's frame, the outermost first where some are inlined.
CREATE PERFETTO TABLE _callstack_spc_forest(
  id LONG, parent_id LONG, name STRING, mapping_id JOINID(stack_profile_mapping.id),
  source_file STRING, line_number LONG, column_number LONG, inlined BOOL,
  callsite_id JOINID(stack_profile_callsite.id), is_leaf_function_in_callsite_frame BOOL
) AS
WITH functions AS MATERIALIZED (
  SELECT row_number() OVER by_callsite - 1 AS id, c.id AS callsite_id, c.parent_id AS parent,
    f.mapping AS mapping_id, coalesce(s.name, f.deobfuscated_name, f.name) AS symbol,
    s.source_file, s.line_number, s.inlined, lag(c.id) OVER by_callsite IS NOT c.id AS is_first,
    lead(c.id) OVER by_callsite IS NOT c.id AS is_last
  FROM stack_profile_callsite AS c
  JOIN stack_profile_frame AS f ON f.id = c.frame_id
  LEFT JOIN stack_profile_symbol AS s ON s.symbol_set_id = f.symbol_set_id
  WINDOW by_callsite AS (ORDER BY c.id, s.id DESC)
)
SELECT f.id, iif(f.is_first, last.id, f.id - 1) AS parent_id,
  coalesce(demangle(f.symbol), f.symbol, 'unknown') AS name, f.mapping_id, f.source_file,
  f.line_number, 0 AS column_number, f.inlined, f.callsite_id,
  f.is_last AS is_leaf_function_in_callsite_frame
FROM functions AS f
LEFT JOIN functions AS last ON last.callsite_id = f.parent AND last.is_last
ORDER BY f.id;

-- The functions on the stacks of samples (callsite_id), each once.
CREATE PERFETTO MACRO _callstacks_for_stack_profile_samples(
  spc_samples TableOrSubquery
) RETURNS TableOrSubquery AS (
  WITH RECURSIVE _seen(callsite_id) AS (
    SELECT callsite_id FROM $spc_samples WHERE callsite_id IS NOT NULL
    UNION
    SELECT c.parent_id
    FROM _seen
    JOIN stack_profile_callsite AS c ON c.id = _seen.callsite_id
    WHERE c.parent_id IS NOT NULL
  )
  SELECT f.id, f.parent_id, f.callsite_id, f.name, m.name AS mapping_name, f.source_file,
    f.line_number, f.inlined, f.is_leaf_function_in_callsite_frame
  FROM _seen
  JOIN _callstack_spc_forest AS f USING (callsite_id)
  LEFT JOIN stack_profile_mapping AS m ON m.id = f.mapping_id
);

-- The same, with the sum of the samples' `value` for the innermost functions (`self_value`).
CREATE PERFETTO MACRO _callstacks_for_callsites_weighted(
  samples TableOrSubquery
) RETURNS TableOrSubquery AS (
  WITH _sampled AS MATERIALIZED (
    SELECT callsite_id, sum(value) AS total FROM $samples GROUP BY callsite_id
  )
  SELECT id, parent_id, callsite_id, name, mapping_name, source_file, line_number,
    is_leaf_function_in_callsite_frame,
    iif(is_leaf_function_in_callsite_frame, coalesce(total, 0), 0) AS self_value
  FROM _callstacks_for_stack_profile_samples!(_sampled)
  LEFT JOIN _sampled USING (callsite_id)
);

-- The same with the number of samples, `self_count`.
CREATE PERFETTO MACRO _callstacks_for_callsites(
  samples TableOrSubquery
) RETURNS TableOrSubquery AS (
  SELECT id, parent_id, callsite_id, name, mapping_name, source_file, line_number,
    is_leaf_function_in_callsite_frame, self_value AS self_count
  FROM _callstacks_for_callsites_weighted!((SELECT callsite_id, 1 AS value FROM $samples))
);

-- The sum of `self_count` of each row (id, parent_id, self_count) and everything below it.
CREATE PERFETTO MACRO _callstacks_self_to_cumulative(
  callstacks TableOrSubquery
) RETURNS TableOrSubquery AS (
  WITH RECURSIVE _up(id, samples) AS (
    SELECT id, self_count FROM $callstacks WHERE self_count > 0
    UNION ALL
    SELECT parent_id, samples
    FROM _up
    JOIN $callstacks AS below ON below.id = _up.id
    WHERE parent_id IS NOT NULL
  )
  SELECT id, sum(samples) AS cumulative_count
  FROM _up
  GROUP BY id
);

-- A table made by the first macro with the sums of the second.
CREATE PERFETTO MACRO _callstacks_summary(callstacks TableName) RETURNS TableOrSubquery AS (
  SELECT id, parent_id, name, mapping_name, source_file, line_number, self_count, cumulative_count
  FROM $callstacks
  JOIN _callstacks_self_to_cumulative!($callstacks) USING (id)
  ORDER BY id
);
