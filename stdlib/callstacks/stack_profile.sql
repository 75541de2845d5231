-- Callstacks as trees of function names.

INCLUDE PERFETTO MODULE graphs.hierarchy;
INCLUDE PERFETTO MODULE graphs.scan;
INCLUDE PERFETTO MODULE v8.jit;

-- The symbols of each frame: the innermost inlined function has the least id.
CREATE PERFETTO TABLE _callstack_spf_summary AS
SELECT f.id, f.symbol_set_id, min(s.id) AS min_symbol_id, max(s.id) AS max_symbol_id
FROM stack_profile_frame AS f
LEFT JOIN stack_profile_symbol AS s USING (symbol_set_id)
GROUP BY f.id;

-- One row for each function of each callsite's frame, the outermost first where some are inlined,
-- and which row it was called from.
CREATE PERFETTO TABLE _callstack_spc_raw_forest AS
SELECT c.id AS callsite_id, s.id AS symbol_id,
  iif(s.id IS f.max_symbol_id, c.parent_id, c.id) AS parent_callsite_id,
  iif(s.id IS f.max_symbol_id, outer.min_symbol_id, s.id + 1) AS parent_symbol_id,
  c.frame_id, jit.jit_code_id, s.id IS f.min_symbol_id AS is_leaf
FROM stack_profile_callsite AS c
JOIN _callstack_spf_summary AS f ON f.id = c.frame_id
LEFT JOIN __intrinsic_jit_frame AS jit ON jit.frame_id = c.frame_id
LEFT JOIN stack_profile_symbol AS s ON s.symbol_set_id = f.symbol_set_id
LEFT JOIN stack_profile_callsite AS caller ON caller.id = c.parent_id
LEFT JOIN _callstack_spf_summary AS outer ON outer.id = caller.frame_id
ORDER BY c.id, s.id DESC;

-- What code that was made at run time is called.
CREATE PERFETTO VIEW _jit_code_name AS
SELECT code.id AS jit_code_id, js_function.line, js_function.col,
  coalesce(
    'JS: ' || iif(js_function.name = '', '(anonymous)', js_function.name) || ':'
      || js_function.line || ':' || js_function.col || ' [' || lower(js.tier) || ']',
    'WASM: ' || wasm.function_name || ' [' || lower(wasm.tier) || ']',
    'REGEXP: ' || expression.pattern, 'V8: ' || internal.function_name,
    'JIT: ' || code.function_name) AS name
FROM __intrinsic_jit_code AS code
LEFT JOIN _v8_js_code AS js ON js.jit_code_id = code.id
LEFT JOIN v8_js_function AS js_function USING (v8_js_function_id)
LEFT JOIN _v8_wasm_code AS wasm ON wasm.jit_code_id = code.id
LEFT JOIN _v8_regexp_code AS expression ON expression.jit_code_id = code.id
LEFT JOIN _v8_internal_code AS internal ON internal.jit_code_id = code.id;

-- The same with names and places.
CREATE PERFETTO TABLE _callstack_spc_forest(
  id LONG, parent_id LONG, name STRING, mapping_id JOINID(stack_profile_mapping.id),
  source_file STRING, line_number LONG, column_number LONG, inlined BOOL,
  callsite_id JOINID(stack_profile_callsite.id), is_leaf_function_in_callsite_frame BOOL
) AS
WITH code AS MATERIALIZED (SELECT * FROM _jit_code_name)
SELECT f._auto_id AS id, caller._auto_id AS parent_id,
  coalesce(code.name, demangle(coalesce(s.name, frame.deobfuscated_name, frame.name)), s.name,
    frame.deobfuscated_name, frame.name, 'unknown') AS name,
  frame.mapping AS mapping_id, s.source_file, coalesce(code.line, s.line_number) AS line_number,
  coalesce(code.col, 0) AS column_number, s.inlined, f.callsite_id,
  f.is_leaf AS is_leaf_function_in_callsite_frame
FROM _callstack_spc_raw_forest AS f
JOIN stack_profile_frame AS frame ON frame.id = f.frame_id
LEFT JOIN stack_profile_symbol AS s ON s.id = f.symbol_id
LEFT JOIN code ON code.jit_code_id = f.jit_code_id
LEFT JOIN _callstack_spc_raw_forest AS caller
  ON caller.callsite_id = f.parent_callsite_id AND caller.symbol_id IS f.parent_symbol_id
ORDER BY f._auto_id;

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
