-- Code that V8 compiled: where it comes from.

-- Instances of V8.
CREATE PERFETTO VIEW v8_isolate(
  -- Id of the row.
  v8_isolate_id LONG,
  -- Process, joins process.
  upid JOINID(process.id),
  -- Id that V8 uses within the process.
  internal_isolate_id LONG,
  -- Address of the built-in code.
  embedded_blob_code_start_address LONG,
  -- Size of the built-in code, bytes.
  embedded_blob_code_size LONG,
  -- Address of the memory reserved for code, NULL without one.
  code_range_base_address LONG,
  -- Size of the memory reserved for code, bytes.
  code_range_size LONG,
  -- Whether isolates of the process share the memory reserved for code.
  shared_code_range LONG,
  -- Address of a copy of the built-in code in the memory reserved for code, if any.
  embedded_blob_code_copy_start_address LONG
) AS
SELECT id AS v8_isolate_id, upid, internal_isolate_id, embedded_blob_code_start_address,
  embedded_blob_code_size, code_range_base_address, code_range_size, shared_code_range,
  embedded_blob_code_copy_start_address
FROM __intrinsic_v8_isolate;

-- Scripts of JavaScript.
CREATE PERFETTO VIEW v8_js_script(
  -- Id of the row.
  v8_js_script_id LONG,
  -- Isolate that owns it, joins v8_isolate.
  v8_isolate_id LONG,
  -- Id that V8 uses within the isolate.
  internal_script_id LONG,
  -- Kind of script, as NORMAL or EVAL.
  script_type STRING,
  -- Name or URL.
  name STRING,
  -- Source text, if recorded.
  source STRING
) AS
SELECT id AS v8_js_script_id, v8_isolate_id, internal_script_id, script_type, name, source
FROM __intrinsic_v8_js_script;

-- Modules of WebAssembly.
CREATE PERFETTO VIEW v8_wasm_script(
  -- Id of the row.
  v8_wasm_script_id LONG,
  -- Isolate that owns it, joins v8_isolate.
  v8_isolate_id LONG,
  -- Id that V8 uses within the isolate.
  internal_script_id LONG,
  -- Where it comes from.
  url STRING,
  -- Its binary, if recorded.
  wire_bytes BYTES,
  -- Source text, if recorded.
  source STRING
) AS
SELECT id AS v8_wasm_script_id, v8_isolate_id, internal_script_id, url,
  base64_decode(wire_bytes_base64) AS wire_bytes, source
FROM __intrinsic_v8_wasm_script;

-- Functions of scripts.
CREATE PERFETTO VIEW v8_js_function(
  -- Id of the row.
  v8_js_function_id LONG,
  -- Name of the function.
  name STRING,
  -- Script that contains it, joins v8_js_script.
  v8_js_script_id LONG,
  -- Whether it is the script itself.
  is_toplevel BOOL,
  -- Kind of function, as V8 names it.
  kind STRING,
  -- Line in the script, from 1 on.
  line LONG,
  -- Column in that line, from 1 on.
  col LONG
) AS
SELECT id AS v8_js_function_id, name, v8_js_script_id, is_toplevel, kind, line, col
FROM __intrinsic_v8_js_function;

-- What the code is that V8 compiled or brought along, by the place it has in memory
-- (`jit_code_id`).
CREATE PERFETTO VIEW _v8_js_code AS
SELECT id, jit_code_id, v8_js_function_id, tier, base64_decode(bytecode_base64) AS bytecode
FROM __intrinsic_v8_js_code;

CREATE PERFETTO VIEW _v8_internal_code AS
SELECT id, jit_code_id, v8_isolate_id, function_name, code_type
FROM __intrinsic_v8_internal_code;

CREATE PERFETTO VIEW _v8_wasm_code AS
SELECT id, jit_code_id, v8_isolate_id, v8_wasm_script_id, function_name, tier,
  code_offset_in_module
FROM __intrinsic_v8_wasm_code;

CREATE PERFETTO VIEW _v8_regexp_code AS
SELECT id, jit_code_id, v8_isolate_id, pattern
FROM __intrinsic_v8_regexp_code;
