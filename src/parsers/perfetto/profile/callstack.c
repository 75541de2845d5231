#include "parsers/perfetto/profile/callstack.h"

#include "base/hash.h"
#include "parsers/perfetto/packets/import.h"
#include "parsers/perfetto/packets/sequence.h"
#include "parsers/perfetto/profile/jit.h"
#include "parsers/proto/wire.h"
#include "pb_fields.h"
#include "core/store/rows.h"

enum { BUILD_ID_BYTES = 64, PATH_BYTES = 1024 };
/* The deepest that profilers record is a quarter of it. */
enum { FRAMES_MAX = 4096 };

/* How many frames may lie in mappings of one process: each sample of a new one can make thousands.
 * Beyond it processes share mappings. */
enum { PROCESS_FRAMES_MAX = 1 << 22 };

/* By generation, id and process. */
struct callstack_cache {
    struct map callsites, frames, mappings;
    struct map nowhere; /* generation -> the mapping of frames that lie in none */
    uint32_t process_frames;
};

static void cache_release(void *state)
{
    struct callstack_cache *c = state;
    map_release(&c->callsites);
    map_release(&c->frames);
    map_release(&c->mappings);
    map_release(&c->nowhere);
}

static const struct import_state_kind cache_kind = {.size = sizeof(struct callstack_cache),
                                                    .release = cache_release};

void callstack_lists_release(struct callstack_lists *lists)
{
    for (size_t i = 0; i < LIST_COUNT; i++)
        map_release(&lists->by_id[i]);
    vec_release(&lists->texts);
}

void callstack_lists_clear(struct callstack_lists *lists)
{
    callstack_lists_release(lists);
}

/* Digits of a Breakpad module's id: they are text already. */
enum { BREAKPAD_ID_DIGITS = 33 };

string_id build_id_intern(struct trace *t, struct str raw)
{
    if (raw.n == BREAKPAD_ID_DIGITS)
        return trace_intern(t, raw);
    static const char digits[] = "0123456789abcdef";
    char text[2 * BUILD_ID_BYTES];
    size_t n = raw.n < BUILD_ID_BYTES ? raw.n : BUILD_ID_BYTES;
    for (size_t i = 0; i < n; i++) {
        text[2 * i] = digits[(unsigned char)raw.p[i] >> 4];
        text[2 * i + 1] = digits[(unsigned char)raw.p[i] & 15];
    }
    return trace_intern(t, (struct str){text, 2 * n});
}

/* Where a callstack and its parts are looked up: in own lists, or in a generation. */
struct callstack_source {
    struct import *im;
    const struct interned_generation *g;
    const struct callstack_lists *own;
    struct callstack_cache *cache;
    uint32_t upid;     /* NULL_U32: not known */
    uint32_t jit_upid; /* the process, where it makes code; else NULL_U32 */
    bool in_jit;       /* a frame was in such code: what it is depends on the time */
};

static struct callstack_source source_of(struct import *im, const struct interned_generation *g,
                                         uint32_t upid)
{
    return (struct callstack_source){.im = im,
                                     .g = g,
                                     .cache = import_state(im, &cache_kind),
                                     .upid = upid,
                                     .jit_upid =
                                         upid != NULL_U32 && jit_known(im, upid) ? upid : NULL_U32};
}

static uint64_t cache_key(const struct callstack_source *s, uint64_t iid)
{
    return hash_mix(iid, (uint64_t)s->g->number << 32 | s->upid);
}

/* Of what depends on the code that the process makes: it may begin to when frames are known. */
static uint64_t code_key(const struct callstack_source *s, uint64_t iid)
{
    return hash_mix(cache_key(s, iid), s->jit_upid);
}

/* The str of an InternedString; `p` is NULL where there is none. */
static struct str find_string(const struct callstack_source *s, uint32_t field, uint64_t iid)
{
    if (!s->own)
        return interned_text(interned_find(s->g, field, iid));
    const uint32_t *at = map_find(&s->own->by_id[LIST_STRINGS], iid);
    return at ? s->own->texts.items[*at] : (struct str){NULL, 0};
}

/* The row of an element of the own lists; NULL_U32 where there is none. */
static uint32_t own_row(const struct callstack_lists *own, enum callstack_list list, uint64_t iid)
{
    const uint32_t *row = map_find(&own->by_id[list], iid);
    return row ? *row : NULL_U32;
}

/* False where there is no such string (counted). Id 0 is an empty one. */
static bool need_string(const struct callstack_source *s, uint32_t field, uint64_t iid,
                        struct str *out)
{
    *out = iid ? find_string(s, field, iid) : STR("");
    if (!out->p)
        stats_count(s->im->trace, STAT_stackprofile_invalid_string_id);
    return out->p;
}

struct path {
    char p[PATH_BYTES];
    size_t n;
};

static void path_add(struct path *path, struct str part)
{
    if (path->n < PATH_BYTES)
        path->p[path->n++] = '/';
    size_t room = PATH_BYTES - path->n;
    size_t n = part.n < room ? part.n : room;
    if (n)
        memcpy(path->p + path->n, part.p, n);
    path->n += n;
}

/* Some writers intern whole paths: then there is a slash too many. */
static struct str path_text(const struct path *path)
{
    bool whole = path->n >= 2 && path->p[0] == '/' && path->p[1] == '/';
    return (struct str){path->p + whole, path->n - whole};
}

/* Addresses are those of a process, which has its mappings for itself. Many writers leave them out.
 */
static uint32_t mapping_of(const struct callstack_source *s, const struct stack_mapping *m)
{
    bool shared = s->upid == NULL_U32 || (uint64_t)m->start >= (uint64_t)m->end ||
                  s->cache->process_frames > PROCESS_FRAMES_MAX;
    return shared ? stack_mapping_intern(s->im->trace, m) : stack_mapping_append(s->im->trace, m);
}

static uint32_t read_mapping(const struct callstack_source *s, struct bytes entry)
{
    struct trace *t = s->im->trace;
    struct stack_mapping m = {.build_id = trace_intern(t, STR(""))};
    struct path path = {.n = 0};
    struct pb_reader r = bytes_reader(entry);
    struct pb_field f;
    uint64_t part;
    bool whole_path = true;
    struct str text = STR("");
    while (pb_next(&r, &f)) {
        switch (f.number) {
        case PB_Mapping_build_id:
            if (!need_string(s, PB_InternedData_build_ids, pb_u64(&f), &text))
                return NULL_U32;
            m.build_id = build_id_intern(t, text);
            break;
        case PB_Mapping_exact_offset:
            m.exact_offset = pb_i64(&f);
            break;
        case PB_Mapping_start_offset:
            m.start_offset = pb_i64(&f);
            break;
        case PB_Mapping_start:
            m.start = pb_i64(&f);
            break;
        case PB_Mapping_end:
            m.end = pb_i64(&f);
            break;
        case PB_Mapping_load_bias:
            m.load_bias = pb_i64(&f);
            break;
        case PB_Mapping_path_string_ids: {
            struct pb_packed it = pb_packed_begin(&f, PB_WIRE_VARINT);
            while (whole_path && pb_packed_next(&it, &part)) {
                whole_path = need_string(s, PB_InternedData_mapping_paths, part, &text);
                if (whole_path)
                    path_add(&path, text);
            }
            break;
        }
        default:
            break;
        }
    }
    struct str name = path_text(&path);
    m.name = trace_intern(t, name);
    uint32_t rows = t->tables.stack_profile_mapping.rows;
    uint32_t row = mapping_of(s, &m);
    /* Nobody can find the symbols of a library that was only pushed for a test. */
    if (row == rows && string_pool_get(&t->strings, m.build_id).n == 0 &&
        str_starts(name, STR("/data/local/tmp/")))
        stats_count(t, STAT_symbolization_tmp_build_id_not_found);
    return row;
}

static uint32_t mapping_row(const struct callstack_source *s, uint64_t iid)
{
    const uint32_t *cached = s->own ? NULL : map_find(&s->cache->mappings, cache_key(s, iid));
    if (cached)
        return *cached;
    uint32_t row = s->own ? own_row(s->own, LIST_MAPPINGS, iid) : NULL_U32;
    struct bytes entry =
        s->own ? (struct bytes){0} : interned_find(s->g, PB_InternedData_mappings, iid);
    if (row == NULL_U32 && !entry.p)
        stats_count(s->im->trace, STAT_stackprofile_invalid_mapping_id);
    if (!entry.p)
        return row;
    row = read_mapping(s, entry);
    if (row != NULL_U32)
        map_set(&s->cache->mappings, cache_key(s, iid), row);
    return row;
}

static string_id frame_type(struct trace *t, uint32_t kind)
{
    switch (kind) {
    case PB_Frame_Kind_KIND_NATIVE:
        return trace_intern(t, STR("native"));
    case PB_Frame_Kind_KIND_KERNEL:
        return trace_intern(t, STR("kernel"));
    case PB_Frame_Kind_KIND_INTERPRETED:
        return trace_intern(t, STR("interpreted"));
    case PB_Frame_Kind_KIND_JIT:
        return trace_intern(t, STR("jit"));
    case PB_Frame_Kind_KIND_GC:
        return trace_intern(t, STR("gc"));
    case PB_Frame_Kind_KIND_RUNTIME:
        return trace_intern(t, STR("runtime"));
    default:
        return NULL_STRING;
    }
}

/* A Frame as it is written. */
struct interned_frame {
    uint64_t name, mapping, file;
    int64_t rel_pc;
    uint32_t line; /* NULL_U32: not said */
    string_id type;
};

static struct interned_frame parse_frame(struct trace *t, struct bytes entry)
{
    struct interned_frame frame = {.line = NULL_U32, .type = NULL_STRING};
    struct pb_reader r = bytes_reader(entry);
    struct pb_field f;
    while (pb_next(&r, &f)) {
        switch (f.number) {
        case PB_Frame_function_name_id:
            frame.name = pb_u64(&f);
            break;
        case PB_Frame_mapping_id:
            frame.mapping = pb_u64(&f);
            break;
        case PB_Frame_rel_pc:
            frame.rel_pc = pb_i64(&f);
            break;
        case PB_Frame_source_path_iid:
            frame.file = pb_u64(&f);
            break;
        case PB_Frame_line_number:
            frame.line = pb_u32(&f);
            break;
        case PB_Frame_kind:
            frame.type = frame_type(t, pb_u32(&f));
            break;
        case PB_Frame_kind_str:
            frame.type = trace_intern(t, pb_str(&f));
            break;
        default:
            break;
        }
    }
    return frame;
}

/* Whether the process makes code at an address of the mapping, and which one that is. */
static bool is_jit(const struct callstack_source *s, uint32_t mapping, int64_t rel_pc,
                   uint64_t *address)
{
    const struct table *m = &s->im->trace->tables.stack_profile_mapping;
    if (s->jit_upid == NULL_U32)
        return false;
    uint64_t start = (uint64_t)table_i64(m, stack_profile_mapping_col_start)[mapping];
    uint64_t end = (uint64_t)table_i64(m, stack_profile_mapping_col_end)[mapping];
    *address = start + (uint64_t)rel_pc -
               (uint64_t)table_i64(m, stack_profile_mapping_col_exact_offset)[mapping] -
               (uint64_t)table_i64(m, stack_profile_mapping_col_load_bias)[mapping];
    return start < end && jit_covers(s->im, s->jit_upid, *address);
}

static uint32_t mapped_frame(struct callstack_source *s, const struct interned_frame *f,
                             string_id name, string_id file)
{
    struct trace *t = s->im->trace;
    uint32_t mapping = mapping_row(s, f->mapping);
    if (mapping == NULL_U32)
        return NULL_U32;
    uint64_t address;
    if (is_jit(s, mapping, f->rel_pc, &address)) {
        s->in_jit = true;
        struct stack_profile_frame_row told = stack_profile_frame_row_null();
        told.name = name;
        told.mapping = mapping;
        told.rel_pc = f->rel_pc;
        told.type = f->type;
        return jit_frame(s->im, s->jit_upid, address, &told);
    }
    uint32_t known = t->tables.stack_profile_frame.rows;
    uint32_t frame = stack_frame_intern(t, mapping, name, f->rel_pc, f->type);
    if (frame == known && (file || f->line != NULL_U32)) {
        struct stack_symbol line = {name, file, f->line, NULL_U32};
        table_set_u32(&t->tables.stack_profile_frame, stack_profile_frame_col_symbol_set_id, frame,
                      stack_symbols_append(t, &line, 1));
    }
    return frame;
}

/* The mapping of frames that lie in none, one for each time that a sequence began anew. */
static uint32_t nowhere(struct callstack_source *s)
{
    bool inserted;
    uint32_t *row = map_insert(&s->cache->nowhere, hash_u64(s->g->number), &inserted);
    if (inserted)
        *row = stack_mapping_append_source(s->im->trace, STR(""));
    return *row;
}

/* A frame in no mapping: its function, and where that stands if the frame says so. */
static uint32_t source_frame(struct callstack_source *s, const struct interned_frame *f,
                             string_id name, string_id file)
{
    struct trace *t = s->im->trace;
    uint32_t frame = stack_frame_intern_source(t, nowhere(s), name, file, f->line);
    if (f->type)
        table_set_u32(&t->tables.stack_profile_frame, stack_profile_frame_col_type, frame, f->type);
    return frame;
}

static uint32_t read_frame(struct callstack_source *s, struct bytes entry)
{
    struct trace *t = s->im->trace;
    struct interned_frame f = parse_frame(t, entry);
    struct str name_text, path;
    if (!need_string(s, PB_InternedData_function_names, f.name, &name_text) ||
        !need_string(s, PB_InternedData_source_paths, f.file, &path))
        return NULL_U32;
    string_id name = f.name ? trace_intern(t, name_text) : NULL_STRING;
    string_id file = f.file ? trace_intern(t, path) : NULL_STRING;
    if (f.mapping == 0 && !s->own)
        return source_frame(s, &f, name, file);
    return mapped_frame(s, &f, name, file);
}

static uint32_t interned_frame(struct callstack_source *s, uint64_t iid)
{
    const uint32_t *cached = map_find(&s->cache->frames, code_key(s, iid));
    if (cached)
        return *cached;
    struct bytes entry = interned_find(s->g, PB_InternedData_frames, iid);
    if (!entry.p) {
        stats_count(s->im->trace, STAT_stackprofile_invalid_frame_id);
        return NULL_U32;
    }
    s->cache->process_frames += s->upid != NULL_U32 && s->cache->process_frames != UINT32_MAX;
    bool before = s->in_jit;
    s->in_jit = false;
    uint32_t row = read_frame(s, entry);
    if (row != NULL_U32 && !s->in_jit)
        map_set(&s->cache->frames, code_key(s, iid), row);
    s->in_jit = s->in_jit || before;
    return row;
}

static uint32_t frame_row(struct callstack_source *s, uint64_t iid)
{
    if (!s->own)
        return interned_frame(s, iid);
    uint32_t row = own_row(s->own, LIST_FRAMES, iid);
    if (row == NULL_U32)
        stats_count(s->im->trace, STAT_stackprofile_invalid_frame_id);
    return row;
}

static uint32_t callstack_row(struct callstack_source *s, struct bytes entry)
{
    struct trace *t = s->im->trace;
    uint32_t depth = 0;
    struct pb_reader r = bytes_reader(entry);
    struct pb_field f;
    uint64_t frame;
    uint32_t callsite = NULL_U32;
    while (pb_next(&r, &f)) {
        if (f.number != PB_Callstack_frame_ids)
            continue;
        struct pb_packed it = pb_packed_begin(&f, PB_WIRE_VARINT);
        while (depth < FRAMES_MAX && pb_packed_next(&it, &frame)) {
            depth++;
            uint32_t row = frame_row(s, frame);
            if (row == NULL_U32)
                return NULL_U32;
            callsite = stack_callsite_intern(t, callsite, row);
        }
    }
    if (callsite == NULL_U32)
        stats_count(t, STAT_stackprofile_empty_callstack);
    return callsite;
}

static uint32_t element_row(struct callstack_source *s, enum callstack_list list,
                            struct bytes element)
{
    switch (list) {
    case LIST_MAPPINGS:
        return read_mapping(s, element);
    case LIST_FRAMES:
        return read_frame(s, element);
    default:
        return callstack_row(s, element);
    }
}

void callstack_lists_add(struct import *im, struct callstack_lists *lists, enum callstack_list list,
                         struct bytes element)
{
    struct pb_field f = pb_last(bytes_reader(element), 1);
    uint64_t iid = pb_u64(&f);
    if (list == LIST_STRINGS) {
        map_set(&lists->by_id[list], iid, (uint32_t)lists->texts.count);
        *vec_push(&lists->texts) = interned_text(element);
        return;
    }
    struct callstack_source s = {.im = im, .own = lists, .upid = NULL_U32, .jit_upid = NULL_U32};
    map_set(&lists->by_id[list], iid, element_row(&s, list, element));
}

uint32_t callstack_find(struct import *im, const struct interned_generation *g,
                        const struct callstack_lists *own, uint32_t upid, uint64_t iid, bool *known)
{
    uint32_t listed = own ? own_row(own, LIST_CALLSTACKS, iid) : NULL_U32;
    if (known)
        *known = true;
    if (listed != NULL_U32)
        return listed;
    struct callstack_source s = source_of(im, g, upid);
    uint64_t key = code_key(&s, iid);
    const uint32_t *cached = map_find(&s.cache->callsites, key);
    if (cached)
        return *cached;
    struct bytes entry = interned_find(g, PB_InternedData_callstacks, iid);
    if (!entry.p) {
        if (known)
            *known = false;
        return NULL_U32;
    }
    uint32_t callsite = callstack_row(&s, entry);
    if (callsite != NULL_U32 && !s.in_jit)
        map_set(&s.cache->callsites, key, callsite);
    return callsite;
}

uint32_t callstack_mapping(struct import *im, const struct interned_generation *g, uint64_t iid)
{
    struct callstack_source s = source_of(im, g, NULL_U32);
    return mapping_row(&s, iid);
}

uint32_t callstack_inline(struct import *im, struct bytes message, struct str origin)
{
    struct trace *t = im->trace;
    uint32_t mapping = stack_mapping_of_source(t, origin);
    struct pb_reader r = bytes_reader(message);
    struct pb_field f, g;
    uint32_t callsite = NULL_U32;
    while (pb_next(&r, &f)) {
        if (f.number != PB_InlineCallstack_frames)
            continue;
        struct pb_reader frame = pb_message(&f);
        string_id name = trace_intern(t, STR("")), file = NULL_STRING;
        uint32_t line = NULL_U32;
        while (pb_next(&frame, &g)) {
            if (g.number == PB_InlineCallstack_Frame_function_name)
                name = trace_intern(t, pb_str(&g));
            else if (g.number == PB_InlineCallstack_Frame_source_file)
                file = trace_intern(t, pb_str(&g));
            else if (g.number == PB_InlineCallstack_Frame_line_number)
                line = pb_u32(&g);
        }
        callsite = stack_callsite_intern(t, callsite,
                                         stack_frame_intern_source(t, mapping, name, file, line));
    }
    return callsite;
}
