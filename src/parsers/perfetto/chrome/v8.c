/* V8's code: isolates, scripts, functions, and the machine code and bytecode that is made of them.
 */
#define PB_READS_LITTLE
#include <stdlib.h>

#include "base/alloc.h"
#include "base/base64.h"
#include "base/hash.h"
#include "base/utf8.h"
#include "core/stats.h"
#include "core/store/rows.h"
#include "parsers/perfetto/packets/import.h"
#include "parsers/perfetto/packets/modules.h"
#include "parsers/perfetto/packets/sequence.h"
#include "parsers/perfetto/packets/unpacked.h"
#include "parsers/perfetto/profile/jit.h"
#include "parsers/proto/descriptors.h"
#include "parsers/proto/wire.h"
#include "pb_fields.h"

struct v8_state {
    struct map isolates;  /* hash of upid and id -> row + 1; 0: has no code range */
    struct map scripts;   /* hash of isolate and id -> row */
    struct map wasm;      /* hash of isolate and id -> row */
    struct map functions; /* hash of all columns -> row */
};

static void v8_release(void *state)
{
    struct v8_state *s = state;
    map_release(&s->isolates);
    map_release(&s->scripts);
    map_release(&s->wasm);
    map_release(&s->functions);
}

static const struct import_state_kind v8_kind = {.size = sizeof(struct v8_state),
                                                 .release = v8_release};

/* What the kinds of packets have in common. */
struct code {
    uint64_t isolate, start, size;
    struct bytes machine_code;
    int64_t tid; /* -1: not said */
};

#define CODE_OF(packet)                                                                            \
    {                                                                                              \
        .isolate = (packet)->v8_isolate_iid, .start = (packet)->instruction_start,                 \
        .size = (packet)->instruction_size_bytes,                                                  \
        .machine_code = {(packet)->machine_code.data, (packet)->machine_code.len},                 \
        .tid = (packet)->has_tid ? (int64_t)(packet)->tid : -1                                     \
    }

static string_id enum_name(struct import *im, const char *type, int32_t value, const char *prefix)
{
    struct descriptors *d = import_descriptors(im);
    uint32_t index = descriptors_find(d, str_from(type));
    struct str name = {NULL, 0};
    if (index != DESCRIPTOR_NONE)
        name = descriptors_enum_name(d, index, value);
    if (!name.p)
        return trace_intern(im->trace, STR("UNKNOWN"));
    return trace_intern(im->trace, str_skip(name, strlen(prefix)));
}

static string_id base64_of(struct import *im, struct bytes bytes)
{
    struct str text = base64_encode(bytes.p, bytes.n);
    string_id id = trace_intern(im->trace, text);
    free((void *)text.p);
    return id;
}

enum encoding { LATIN1 = 1, UTF16_LE, UTF16_BE };

static uint32_t unit_at(struct bytes b, size_t at, enum encoding encoding)
{
    if (encoding == LATIN1)
        return b.p[at];
    uint32_t lo = b.p[at + (encoding == UTF16_BE)], hi = b.p[at + (encoding == UTF16_LE)];
    return hi << 8 | lo;
}

static string_id intern_encoded(struct import *im, struct bytes b, enum encoding encoding)
{
    size_t width = encoding == LATIN1 ? 1 : 2, n = 0;
    char *text = alloc_array(b.n + 1, 4);
    for (size_t i = 0; i + width <= b.n; i += width) {
        uint32_t c = unit_at(b, i, encoding);
        if (c >= 0xd800 && c < 0xdc00 && i + 2 * width <= b.n) {
            uint32_t low = unit_at(b, i + width, encoding);
            if (low >= 0xdc00 && low < 0xe000) {
                c = 0x10000 + ((c - 0xd800) << 10) + (low - 0xdc00);
                i += width;
            }
        }
        n += utf8_encode(c >= 0xd800 && c < 0xe000 ? 0xfffd : c, text + n);
    }
    string_id id = trace_intern(im->trace, (struct str){text, n});
    free(text);
    return id;
}

/* A V8String; an InternedV8String has an id before the same fields. */
static string_id v8_string(struct import *im, struct pb_reader r, uint32_t first_field)
{
    struct pb_field f;
    while (pb_next(&r, &f))
        if (f.number >= first_field && f.number < first_field + 3)
            return intern_encoded(im, field_bytes(&f), LATIN1 + (f.number - first_field));
    return trace_intern(im->trace, STR(""));
}

/* {NULL, 0} where there is none. */
static struct bytes interned(struct import *im, const struct packet *p, uint32_t field,
                             uint64_t iid)
{
    struct bytes entry = interned_find(p->generation, field, iid);
    if (!entry.p)
        stats_count(im->trace, STAT_v8_intern_errors);
    return entry;
}

struct isolate_row {
    struct v8_isolate_row row;
    bool has_range;
};

static struct isolate_row read_isolate(struct import *im, const struct packet *p,
                                       struct pb_reader r)
{
    struct isolate_row out = {.row = v8_isolate_row_null()};
    struct v8_isolate_row *row = &out.row;
    struct pb_field f, c;
    int64_t pid = 0;
    row->internal_isolate_id = 0;
    row->embedded_blob_code_start_address = row->embedded_blob_code_size = 0;
    row->code_range_base_address = row->code_range_size = 0;
    row->shared_code_range = 0;
    while (pb_next(&r, &f)) {
        if (f.number == PB_InternedV8Isolate_pid)
            pid = pb_u32(&f);
        else if (f.number == PB_InternedV8Isolate_isolate_id)
            row->internal_isolate_id = pb_i32(&f);
        else if (f.number == PB_InternedV8Isolate_embedded_blob_code_start_address)
            row->embedded_blob_code_start_address = pb_i64(&f);
        else if (f.number == PB_InternedV8Isolate_embedded_blob_code_size)
            row->embedded_blob_code_size = pb_i64(&f);
        if (f.number != PB_InternedV8Isolate_code_range)
            continue;
        out.has_range = true;
        struct pb_reader range = pb_message(&f);
        while (pb_next(&range, &c)) {
            if (c.number == PB_InternedV8Isolate_CodeRange_base_address)
                row->code_range_base_address = pb_i64(&c);
            else if (c.number == PB_InternedV8Isolate_CodeRange_size)
                row->code_range_size = pb_i64(&c);
            else if (c.number == PB_InternedV8Isolate_CodeRange_is_process_wide)
                row->shared_code_range = pb_bool(&c);
            else if (c.number ==
                     PB_InternedV8Isolate_CodeRange_embedded_blob_code_copy_start_address)
                row->embedded_blob_code_copy_start_address = pb_i64(&c);
        }
    }
    row->upid = process_tracker_process(im->trace, p->machine, pid);
    return out;
}

/* The end of a range, which stops at the end of the address space. */
static uint64_t range_end(int64_t start, int64_t size)
{
    uint64_t end;
    return __builtin_add_overflow((uint64_t)start, (uint64_t)size, &end) ? UINT64_MAX : end;
}

static uint32_t intern_isolate(struct import *im, struct v8_state *s, const struct packet *p,
                               uint64_t iid)
{
    bool is_new;
    struct bytes entry = interned(im, p, PB_InternedData_v8_isolate, iid);
    if (!entry.p)
        return NULL_U32;
    struct isolate_row isolate = read_isolate(im, p, bytes_reader(entry));
    uint64_t key = hash_mix(isolate.row.upid, (uint32_t)isolate.row.internal_isolate_id);
    uint32_t *at = map_insert(&s->isolates, key, &is_new);
    if (is_new && !isolate.has_range)
        stats_count(im->trace, STAT_v8_isolate_has_no_code_range);
    if (is_new && isolate.has_range) {
        uint32_t row = v8_isolate_append(&im->trace->tables.v8_isolate, &isolate.row);
        *at = row + 1;
        const struct v8_isolate_row *i = &isolate.row;
        jit_add_range(im, i->upid, (uint64_t)i->code_range_base_address,
                      range_end(i->code_range_base_address, i->code_range_size));
        jit_add_range(im, i->upid, (uint64_t)i->embedded_blob_code_start_address,
                      range_end(i->embedded_blob_code_start_address, i->embedded_blob_code_size));
        return row;
    }
    return *at ? *at - 1 : NULL_U32;
}

_Static_assert((int)PB_InternedV8JsScript_script_id == (int)PB_InternedV8WasmScript_script_id,
               "the id of both kinds of script stands in the same field");

/* The place of a script's row among those of its kind, and its id in the isolate. Each piece of
 * code names its script, whose source may be long: of those that are known nothing else is read. */
static uint32_t *script_place(struct map *scripts, struct bytes script, uint32_t isolate,
                              int64_t *id, bool *is_new)
{
    struct pb_reader r = bytes_reader(script);
    struct pb_field f;
    *id = 0;
    while (pb_next(&r, &f))
        if (f.number == PB_InternedV8JsScript_script_id)
            *id = pb_i32(&f);
    return map_insert(scripts, hash_mix(isolate, (uint32_t)*id), is_new);
}

static uint32_t intern_script(struct import *im, struct v8_state *s, const struct packet *p,
                              uint64_t iid, uint32_t isolate)
{
    bool is_new;
    struct bytes entry = interned(im, p, PB_InternedData_v8_js_script, iid);
    if (!entry.p)
        return NULL_U32;
    struct v8_js_script_row row = v8_js_script_row_null();
    uint32_t *at = script_place(&s->scripts, entry, isolate, &row.internal_script_id, &is_new);
    if (!is_new)
        return *at;
    struct pb_reader r = bytes_reader(entry);
    struct pb_field f;
    int32_t type = 0;
    row.v8_isolate_id = isolate;
    row.name = row.source = trace_intern(im->trace, STR(""));
    while (pb_next(&r, &f)) {
        if (f.number == PB_InternedV8JsScript_type)
            type = pb_i32(&f);
        else if (f.number == PB_InternedV8JsScript_name)
            row.name = v8_string(im, pb_message(&f), PB_V8String_latin1);
        else if (f.number == PB_InternedV8JsScript_source)
            row.source = v8_string(im, pb_message(&f), PB_V8String_latin1);
    }
    row.script_type = enum_name(im, "perfetto.protos.InternedV8JsScript.Type", type, "TYPE_");
    return *at = v8_js_script_append(&im->trace->tables.v8_js_script, &row);
}

static uint32_t intern_wasm_script(struct import *im, struct v8_state *s, const struct packet *p,
                                   uint64_t iid, uint32_t isolate)
{
    bool is_new;
    struct bytes entry = interned(im, p, PB_InternedData_v8_wasm_script, iid);
    if (!entry.p)
        return NULL_U32;
    struct v8_wasm_script_row row = v8_wasm_script_row_null();
    uint32_t *at = script_place(&s->wasm, entry, isolate, &row.internal_script_id, &is_new);
    if (!is_new)
        return *at;
    struct pb_reader r = bytes_reader(entry);
    struct pb_field f;
    struct bytes wire = {NULL, 0};
    row.v8_isolate_id = isolate;
    row.url = trace_intern(im->trace, STR(""));
    while (pb_next(&r, &f)) {
        if (f.number == PB_InternedV8WasmScript_url)
            row.url = trace_intern(im->trace, pb_str(&f));
        else if (f.number == PB_InternedV8WasmScript_wire_bytes)
            wire = field_bytes(&f);
    }
    row.wire_bytes_base64 = base64_of(im, wire);
    return *at = v8_wasm_script_append(&im->trace->tables.v8_wasm_script, &row);
}

static uint32_t intern_function(struct import *im, struct v8_state *s, const struct packet *p,
                                uint64_t iid, uint32_t isolate)
{
    bool is_new, has_line = false, has_column = false;
    struct bytes entry = interned(im, p, PB_InternedData_v8_js_function, iid);
    struct pb_reader r = bytes_reader(entry);
    struct pb_field f;
    if (!entry.p)
        return NULL_U32;
    struct v8_js_function_row row = v8_js_function_row_null();
    uint64_t name = 0, script = 0;
    uint32_t offset = NULL_U32;
    int32_t kind = 0;
    row.is_toplevel = 0;
    while (pb_next(&r, &f)) {
        if (f.number == PB_InternedV8JsFunction_v8_js_function_name_iid)
            name = pb_u64(&f);
        else if (f.number == PB_InternedV8JsFunction_v8_js_script_iid)
            script = pb_u64(&f);
        else if (f.number == PB_InternedV8JsFunction_is_toplevel)
            row.is_toplevel = pb_bool(&f);
        else if (f.number == PB_InternedV8JsFunction_kind)
            kind = pb_i32(&f);
        else if (f.number == PB_InternedV8JsFunction_byte_offset)
            offset = pb_u32(&f);
        else if (f.number == PB_InternedV8JsFunction_line) {
            row.line = pb_u32(&f);
            has_line = true;
        } else if (f.number == PB_InternedV8JsFunction_column) {
            row.col = pb_u32(&f);
            has_column = true;
        }
    }
    if (!has_line || !has_column) {
        row.line = offset == NULL_U32 ? NULL_U32 : 1;
        row.col = offset;
    }
    row.v8_js_script_id = intern_script(im, s, p, script, isolate);
    if (row.v8_js_script_id == NULL_U32)
        return NULL_U32;
    struct bytes text = interned(im, p, PB_InternedData_v8_js_function_name, name);
    if (!text.p)
        return NULL_U32;
    row.name = v8_string(im, bytes_reader(text), PB_InternedV8String_latin1);
    row.kind = enum_name(im, "perfetto.protos.InternedV8JsFunction.Kind", kind, "KIND_");
    uint32_t *at = map_insert(&s->functions, hash_bytes(&row, sizeof row, 0), &is_new);
    if (is_new)
        *at = v8_js_function_append(&im->trace->tables.v8_js_function, &row);
    return *at;
}

/* The thread that the packet or the sequence's defaults name. */
static uint32_t thread_of(struct import *im, const struct packet *p, const struct code *c,
                          uint32_t isolate)
{
    struct trace *t = im->trace;
    int64_t tid = c->tid;
    struct pb_reader defaults = bytes_reader(p->generation->defaults);
    struct pb_field f, d;
    while (tid < 0 && pb_next(&defaults, &f)) {
        if (f.number != PB_TracePacketDefaults_v8_code_defaults)
            continue;
        struct pb_reader v8 = pb_message(&f);
        while (pb_next(&v8, &d))
            if (d.number == PB_V8CodeDefaults_tid)
                tid = pb_u32(&d);
    }
    if (tid < 0) {
        stats_count(t, STAT_v8_no_defaults);
        return NULL_U32;
    }
    uint32_t upid = table_u32(&t->tables.v8_isolate, v8_isolate_col_upid)[isolate];
    return process_tracker_update_thread(t, p->machine, tid,
                                         table_i64(&t->tables.process, process_col_pid)[upid]);
}

/* What a trace has may be the number that stands for null. */
static int64_t address_of(const struct column *c, uint32_t row)
{
    return column_is_null(c, row) ? 0 : column_int(c, row);
}

/* Whether code of the isolate may be there. */
static bool is_inside(const struct trace *t, uint32_t isolate, uint64_t start, uint64_t size)
{
    const struct table *table = &t->tables.v8_isolate;
    const struct column *c = table->columns;
    int64_t range = address_of(&c[v8_isolate_col_code_range_base_address], isolate);
    int64_t range_size = address_of(&c[v8_isolate_col_code_range_size], isolate);
    int64_t blob = table_i64(table, v8_isolate_col_embedded_blob_code_start_address)[isolate];
    int64_t blob_size = table_i64(table, v8_isolate_col_embedded_blob_code_size)[isolate];
    uint64_t end;
    if (size == 0 || __builtin_add_overflow(start, size, &end))
        return false;
    return (start >= (uint64_t)range && end <= range_end(range, range_size)) ||
           (start >= (uint64_t)blob && end <= range_end(blob, blob_size));
}

static bool is_placed(struct trace *t, uint32_t isolate, uint64_t start, uint64_t size)
{
    bool inside = is_inside(t, isolate, start, size);
    if (size == 0)
        stats_count(t, STAT_v8_code_load_missing_code_range);
    else if (!inside)
        stats_count(t, STAT_v8_no_code_range);
    return inside;
}

static uint32_t upid_of(const struct trace *t, uint32_t isolate)
{
    return table_u32(&t->tables.v8_isolate, v8_isolate_col_upid)[isolate];
}

static uint32_t load_code(struct import *im, const struct packet *p, uint32_t isolate,
                          uint32_t utid, const struct code *c, string_id name, uint32_t symbols)
{
    struct jit_code_row row = jit_code_row_null();
    row.create_ts = p->ts;
    row.utid = utid;
    row.start_address = (int64_t)c->start;
    row.size = (int64_t)c->size;
    row.function_name = name;
    row.native_code_base64 = base64_of(im, c->machine_code);
    return jit_load(im, upid_of(im->trace, isolate), &row, symbols);
}

/* Where a function stands in its script. */
static uint32_t function_symbols(struct trace *t, uint32_t function)
{
    const struct table *functions = &t->tables.v8_js_function;
    uint32_t script = table_u32(functions, v8_js_function_col_v8_js_script_id)[function];
    uint32_t line = table_u32(functions, v8_js_function_col_line)[function];
    struct stack_symbol symbol = {
        .name = column_str(&functions->columns[v8_js_function_col_name], function),
        .file = column_str(&t->tables.v8_js_script.columns[v8_js_script_col_name], script),
        .line = line == NULL_U32 ? 0 : line,
        .inlined = NULL_U32,
    };
    return stack_symbols_append(t, &symbol, 1);
}

enum { TIER_IGNITION = PB_V8JsCode_Tier_TIER_IGNITION, TIER_LAST = PB_V8JsCode_Tier_TIER_TURBOFAN };

static void v8_js_code_parse(struct import *im, const struct packet *p)
{
    struct v8_state *s = import_state(im, &v8_kind);
    struct tables *t = &im->trace->tables;
    const V8JsCode *code = unpack_packet(im, &v8_js_code__descriptor, p);
    struct code c = CODE_OF(code);
    uint32_t isolate = intern_isolate(im, s, p, c.isolate);
    uint32_t utid = isolate == NULL_U32 ? NULL_U32 : thread_of(im, p, &c, isolate);
    uint32_t function =
        utid == NULL_U32 ? NULL_U32 : intern_function(im, s, p, code->v8_js_function_iid, isolate);
    if (function == NULL_U32)
        return;
    struct v8_js_code_row row = v8_js_code_row_null();
    row.v8_js_function_id = function;
    row.tier = enum_name(im, "perfetto.protos.V8JsCode.Tier", code->tier, "TIER_");
    bool placed = false;
    if (code->tier == TIER_IGNITION)
        placed = is_inside(im->trace, isolate, c.start, c.size);
    else if (code->tier > TIER_IGNITION && code->tier <= TIER_LAST)
        placed = is_placed(im->trace, isolate, c.start, c.size);
    else
        stats_count(im->trace, STAT_v8_unknown_code_type);
    if (placed)
        row.jit_code_id =
            load_code(im, p, isolate, utid, &c,
                      column_str(&t->v8_js_function.columns[v8_js_function_col_name], function),
                      function_symbols(im->trace, function));
    else if (code->tier == TIER_IGNITION)
        row.bytecode_base64 =
            base64_of(im, (struct bytes){code->bytecode.data, code->bytecode.len});
    else
        return;
    v8_js_code_append(&t->v8_js_code, &row);
}

/* The isolate and thread of code that is no JavaScript function. */
struct native {
    uint32_t isolate, utid;
    bool placed; /* false: nothing to do */
};

static struct native find_native(struct import *im, const struct packet *p, const struct code *c)
{
    struct v8_state *s = import_state(im, &v8_kind);
    struct native n = {.isolate = intern_isolate(im, s, p, c->isolate), .utid = NULL_U32};
    if (n.isolate != NULL_U32)
        n.utid = thread_of(im, p, c, n.isolate);
    if (n.utid != NULL_U32)
        n.placed = is_placed(im->trace, n.isolate, c->start, c->size);
    return n;
}

static void v8_internal_code_parse(struct import *im, const struct packet *p)
{
    const V8InternalCode *code = unpack_packet(im, &v8_internal_code__descriptor, p);
    struct code c = CODE_OF(code);
    struct native n = find_native(im, p, &c);
    if (!n.placed)
        return;
    string_id name = trace_intern(im->trace, unpacked_str(code->name));
    struct v8_internal_code_row row = {
        .jit_code_id = load_code(im, p, n.isolate, n.utid, &c, name, NULL_U32),
        .v8_isolate_id = n.isolate,
        .function_name = name,
        .code_type = enum_name(im, "perfetto.protos.V8InternalCode.Type", code->type, "TYPE_")};
    v8_internal_code_append(&im->trace->tables.v8_internal_code, &row);
}

static void v8_wasm_code_parse(struct import *im, const struct packet *p)
{
    struct v8_state *s = import_state(im, &v8_kind);
    const V8WasmCode *code = unpack_packet(im, &v8_wasm_code__descriptor, p);
    struct code c = CODE_OF(code);
    uint32_t isolate = intern_isolate(im, s, p, c.isolate);
    uint32_t script = isolate == NULL_U32
                          ? NULL_U32
                          : intern_wasm_script(im, s, p, code->v8_wasm_script_iid, isolate);
    if (script == NULL_U32)
        return;
    struct native n = find_native(im, p, &c);
    if (!n.placed)
        return;
    string_id name = trace_intern(im->trace, unpacked_str(code->function_name));
    struct v8_wasm_code_row row = {.jit_code_id =
                                       load_code(im, p, n.isolate, n.utid, &c, name, NULL_U32),
                                   .v8_isolate_id = n.isolate,
                                   .v8_wasm_script_id = script,
                                   .function_name = name,
                                   .tier = enum_name(im, "perfetto.protos.V8WasmCode.Tier",
                                                     code->tier, "TIER_"),
                                   .code_offset_in_module = code->code_offset_in_module};
    v8_wasm_code_append(&im->trace->tables.v8_wasm_code, &row);
}

static void v8_reg_exp_code_parse(struct import *im, const struct packet *p)
{
    const V8RegExpCode *code = unpack_packet(im, &v8_reg_exp_code__descriptor, p);
    struct code c = CODE_OF(code);
    struct bytes pattern = {code->pattern.data, code->pattern.len};
    struct native n = find_native(im, p, &c);
    if (!n.placed)
        return;
    string_id name = trace_intern(im->trace, STR("[RegExp]"));
    struct v8_regexp_code_row row = {.jit_code_id =
                                         load_code(im, p, n.isolate, n.utid, &c, name, NULL_U32),
                                     .v8_isolate_id = n.isolate,
                                     .pattern =
                                         v8_string(im, bytes_reader(pattern), PB_V8String_latin1)};
    v8_regexp_code_append(&im->trace->tables.v8_regexp_code, &row);
}

static void v8_code_move_parse(struct import *im, const struct packet *p)
{
    const V8CodeMove *move = unpack_packet(im, &v8_code_move__descriptor, p);
    struct code c = {.isolate = move->isolate_iid,
                     .start = move->from_instruction_start_address,
                     .size = move->instruction_size_bytes,
                     .tid = move->has_tid ? (int64_t)move->tid : -1};
    if (!move->has_from_instruction_start_address)
        return;
    struct native n = find_native(im, p, &c);
    if (n.placed)
        jit_move(im, upid_of(im->trace, n.isolate), p->ts, c.start,
                 move->to_instruction_start_address);
}

const struct packet_module v8_packets[] = {
    {PB_TracePacket_v8_js_code, .parse = v8_js_code_parse, .felt = PACKET_ALWAYS},
    {PB_TracePacket_v8_internal_code, .parse = v8_internal_code_parse, .felt = PACKET_ALWAYS},
    {PB_TracePacket_v8_wasm_code, .parse = v8_wasm_code_parse, .felt = PACKET_ALWAYS},
    {PB_TracePacket_v8_reg_exp_code, .parse = v8_reg_exp_code_parse, .felt = PACKET_ALWAYS},
    {PB_TracePacket_v8_code_move, .parse = v8_code_move_parse, .felt = PACKET_ALWAYS},
    {0},
};
