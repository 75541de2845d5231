/* Code that V8, or another compiler at run time, made. How to read it: core/schema/schema.h. */
#ifndef TPTUI_CORE_SCHEMA_JAVASCRIPT_H
#define TPTUI_CORE_SCHEMA_JAVASCRIPT_H

/* clang-format off */
#define COLUMNS_jit_code(C, T) \
    C(T, create_ts, I64, COLUMN_SORTED, "When it was made, ns of trace time.") \
    C(T, estimated_delete_ts, I64, COLUMN_NULLABLE, \
      "When other code took its place, ns; NULL: never.") \
    C(T, utid, ROWID(thread.id), 0, "Thread that made it: thread.id.") \
    C(T, start_address, I64, 0, "First address.") \
    C(T, size, I64, 0, "Bytes.") \
    C(T, function_name, STR, 0, "Name of the function.") \
    C(T, native_code_base64, STR, COLUMN_NULLABLE, "Machine code, base64.") \
    C(T, jit_code_id, ALIAS, 0, "The same as id.")

#define COLUMNS_jit_frame(C, T) \
    C(T, jit_code_id, JOINID(jit_code.id), 0, "Code.") \
    C(T, frame_id, JOINID(stack_profile_frame.id), 0, "Frame.")

#define COLUMNS_v8_isolate(C, T) \
    C(T, upid, JOINID(process.id), 0, "Process: process.id.") \
    C(T, internal_isolate_id, I32, COLUMN_FOREIGN, "Number in its process.") \
    C(T, embedded_blob_code_start_address, I64, 0, "First address of the built-in code.") \
    C(T, embedded_blob_code_size, I64, 0, "Bytes of the built-in code.") \
    C(T, code_range_base_address, I64, COLUMN_NULLABLE, "First address of the range for code.") \
    C(T, code_range_size, I64, COLUMN_NULLABLE, "Bytes of the range for code.") \
    C(T, shared_code_range, U32, COLUMN_NULLABLE, \
      "1 where isolates of the process share the range.") \
    C(T, embedded_blob_code_copy_start_address, I64, COLUMN_NULLABLE, \
      "First address of the copied built-in code; NULL: no copy.")

#define COLUMNS_v8_js_script(C, T) \
    C(T, v8_isolate_id, JOINID(v8_isolate.id), 0, "Isolate.") \
    C(T, internal_script_id, I32, COLUMN_FOREIGN, "Number in its isolate.") \
    C(T, script_type, STR, 0, "How it came: normal, eval, module, native, extension.") \
    C(T, name, STR, 0, "URL or name.") \
    C(T, source, STR, COLUMN_NULLABLE, "Text of the script.")

#define COLUMNS_v8_wasm_script(C, T) \
    C(T, v8_isolate_id, JOINID(v8_isolate.id), 0, "Isolate.") \
    C(T, internal_script_id, I32, COLUMN_FOREIGN, "Number in its isolate.") \
    C(T, url, STR, 0, "URL.") \
    C(T, wire_bytes_base64, STR, COLUMN_NULLABLE, "The module's bytes, base64.") \
    C(T, source, STR, COLUMN_NULLABLE, "Text of the module.")

#define COLUMNS_v8_js_function(C, T) \
    C(T, name, STR, 0, "Name.") \
    C(T, v8_js_script_id, JOINID(v8_js_script.id), 0, "Script that it is in.") \
    C(T, is_toplevel, BOOL(U32), 0, "1 for the script itself as a function.") \
    C(T, kind, STR, 0, "Kind of function: normal, arrow, async, getter, ...") \
    C(T, line, U32, COLUMN_NULLABLE, "Line that it starts at, from 1.") \
    C(T, col, U32, COLUMN_NULLABLE, "Column that it starts at, from 1.")

#define COLUMNS_v8_js_code(C, T) \
    C(T, jit_code_id, JOINID(jit_code.id), COLUMN_NULLABLE, "Machine code; NULL for bytecode.") \
    C(T, v8_js_function_id, JOINID(v8_js_function.id), 0, "Function.") \
    C(T, tier, STR, 0, "What compiled it: ignition, sparkplug, maglev, turbofan.") \
    C(T, bytecode_base64, STR, COLUMN_NULLABLE, "Bytecode, base64.")

#define COLUMNS_v8_internal_code(C, T) \
    C(T, jit_code_id, JOINID(jit_code.id), 0, "Machine code.") \
    C(T, v8_isolate_id, JOINID(v8_isolate.id), 0, "Isolate.") \
    C(T, function_name, STR, 0, "Name.") \
    C(T, code_type, STR, 0, "Kind: builtin, bytecode handler, stub.")

#define COLUMNS_v8_wasm_code(C, T) \
    C(T, jit_code_id, JOINID(jit_code.id), 0, "Machine code.") \
    C(T, v8_isolate_id, JOINID(v8_isolate.id), 0, "Isolate.") \
    C(T, v8_wasm_script_id, JOINID(v8_wasm_script.id), 0, "Module that it is in.") \
    C(T, function_name, STR, 0, "Name.") \
    C(T, tier, STR, 0, "What compiled it: liftoff, turbofan.") \
    C(T, code_offset_in_module, I32, 0, "Offset of the function in its module, bytes.")

#define COLUMNS_v8_regexp_code(C, T) \
    C(T, jit_code_id, JOINID(jit_code.id), 0, "Machine code.") \
    C(T, v8_isolate_id, JOINID(v8_isolate.id), 0, "Isolate.") \
    C(T, pattern, STR, 0, "The expression.")

#define JAVASCRIPT_TABLES(T) \
    T(jit_code, "__intrinsic_jit_code", "Code that was compiled at run time.", "dev.v8.code") \
    T(jit_frame, "__intrinsic_jit_frame", \
      "Frames of call stacks that lie in such code.", "dev.v8.code") \
    T(v8_isolate, "__intrinsic_v8_isolate", "Instances of V8.", "dev.v8.code") \
    T(v8_js_script, "__intrinsic_v8_js_script", "Scripts.", "dev.v8.code") \
    T(v8_wasm_script, "__intrinsic_v8_wasm_script", "Modules of WebAssembly.", "dev.v8.code") \
    T(v8_js_function, "__intrinsic_v8_js_function", "Functions of scripts.", "dev.v8.code") \
    T(v8_js_code, "__intrinsic_v8_js_code", "Compiled functions.", "dev.v8.code") \
    T(v8_internal_code, "__intrinsic_v8_internal_code", "Code of V8 itself.", "dev.v8.code") \
    T(v8_wasm_code, "__intrinsic_v8_wasm_code", \
      "Compiled functions of WebAssembly.", "dev.v8.code") \
    T(v8_regexp_code, "__intrinsic_v8_regexp_code", \
      "Compiled regular expressions.", "dev.v8.code")

#define JAVASCRIPT_VIEWS(V)
/* clang-format on */

#endif
