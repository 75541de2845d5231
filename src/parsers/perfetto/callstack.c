#include "parsers/perfetto/callstack.h"

#include "base/hash.h"
#include "parsers/perfetto/modules.h"
#include "parsers/perfetto/symbols.h"
#include "pb_fields.h"

enum { BUILD_ID_BYTES = 64, PATH_BYTES = 1024 };
/* The deepest that profilers record is a quarter of it. */
enum { FRAMES_MAX = 4096 };

/* By generation (or own lists) and id. */
struct callstack_cache {
    struct map callsites, frames;
    uint32_t lists; /* numbers given to own lists so far */
};

static void cache_release(void *state)
{
    struct callstack_cache *c = state;
    map_release(&c->callsites);
    map_release(&c->frames);
}

static const struct import_state_kind cache_kind = {.size = sizeof(struct callstack_cache),
                                                    .release = cache_release};

void callstack_lists_release(struct callstack_lists *lists)
{
    map_release(&lists->entries);
    vec_release(&lists->items);
}

static uint64_t list_key(enum callstack_list list, uint64_t iid)
{
    return hash_mix(iid, (uint64_t)list + 1);
}

void callstack_lists_clear(struct callstack_lists *lists)
{
    callstack_lists_release(lists);
    lists->number = 0;
}

void callstack_lists_add(struct import *im, struct callstack_lists *lists, enum callstack_list list,
                         struct bytes element)
{
    if (lists->number == 0)
        lists->number = ++((struct callstack_cache *)import_state(im, &cache_kind))->lists;
    struct pb_reader r = bytes_reader(element);
    struct pb_field f;
    uint64_t iid = 0;
    while (pb_next(&r, &f))
        if (f.number == 1)
            iid = pb_u64(&f);
    bool inserted;
    uint32_t *at = map_insert(&lists->entries, list_key(list, iid), &inserted);
    if (inserted) {
        *at = (uint32_t)lists->items.count;
        *vec_push(&lists->items) = element;
    } else {
        lists->items.items[*at] = element;
    }
}

/* Where a callstack and its parts are looked up. */
struct source {
    struct import *im;
    const struct interned_generation *g;
    const struct callstack_lists *own;
    struct callstack_cache *cache;
};

/* Own lists are of one sequence; their ids go before those of the generation. */
static uint64_t cache_key(const struct source *s, uint64_t iid)
{
    return hash_mix(iid, (uint64_t)s->g->number << 32 | (s->own ? s->own->number : 0));
}

static struct bytes find(const struct source *s, enum callstack_list list, uint32_t field,
                         uint64_t iid)
{
    if (s->own) {
        const uint32_t *at = map_find(&s->own->entries, list_key(list, iid));
        if (at)
            return s->own->items.items[*at];
    }
    return interned_find(s->g, field, iid);
}

/* The str of an InternedString; `p` is NULL where there is none. */
static struct str find_string(const struct source *s, uint32_t field, uint64_t iid)
{
    struct bytes entry = find(s, LIST_STRINGS, field, iid);
    struct pb_reader r = bytes_reader(entry);
    struct pb_field f;
    struct str text = entry.p ? STR("") : (struct str){NULL, 0};
    while (pb_next(&r, &f))
        if (f.number == PB_InternedString_str)
            text = pb_str(&f);
    return text;
}

static string_id build_id(const struct source *s, uint64_t iid)
{
    static const char digits[] = "0123456789abcdef";
    struct str raw = find_string(s, PB_InternedData_build_ids, iid);
    char text[2 * BUILD_ID_BYTES];
    size_t n = raw.n < BUILD_ID_BYTES ? raw.n : BUILD_ID_BYTES;
    for (size_t i = 0; i < n; i++) {
        text[2 * i] = digits[(unsigned char)raw.p[i] >> 4];
        text[2 * i + 1] = digits[(unsigned char)raw.p[i] & 15];
    }
    return trace_intern(s->im->trace, (struct str){text, 2 * n});
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

static uint32_t mapping_row(const struct source *s, uint64_t iid)
{
    struct trace *t = s->im->trace;
    struct bytes entry = find(s, LIST_MAPPINGS, PB_InternedData_mappings, iid);
    if (!entry.p) {
        stats_count(t, STAT_stackprofile_invalid_mapping_id);
        return NULL_U32;
    }
    struct stack_mapping m = {.build_id = trace_intern(t, STR(""))};
    struct path path = {.n = 0};
    struct pb_reader r = bytes_reader(entry);
    struct pb_field f;
    uint64_t part;
    while (pb_next(&r, &f)) {
        switch (f.number) {
        case PB_Mapping_build_id:
            m.build_id = build_id(s, pb_u64(&f));
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
            while (pb_packed_next(&it, &part))
                path_add(&path, find_string(s, PB_InternedData_mapping_paths, part));
            break;
        }
        default:
            break;
        }
    }
    struct str name = path_text(&path);
    m.name = trace_intern(t, name);
    uint32_t rows = t->tables.stack_profile_mapping.rows;
    uint32_t row = stack_mapping_intern(t, &m);
    /* Nobody can find the symbols of a library that was only pushed for a test. */
    if (row == rows && string_pool_get(&t->strings, m.build_id).n == 0 &&
        str_starts(name, STR("/data/local/tmp/")))
        stats_count(t, STAT_symbolization_tmp_build_id_not_found);
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

static uint32_t read_frame(const struct source *s, uint64_t iid)
{
    struct trace *t = s->im->trace;
    struct bytes entry = find(s, LIST_FRAMES, PB_InternedData_frames, iid);
    if (!entry.p) {
        stats_count(t, STAT_stackprofile_invalid_frame_id);
        return NULL_U32;
    }
    struct pb_reader r = bytes_reader(entry);
    struct pb_field f;
    uint64_t name = 0, mapping = 0, file = 0;
    int64_t rel_pc = 0;
    uint32_t line = NULL_U32;
    string_id type = NULL_STRING;
    while (pb_next(&r, &f)) {
        switch (f.number) {
        case PB_Frame_function_name_id:
            name = pb_u64(&f);
            break;
        case PB_Frame_mapping_id:
            mapping = pb_u64(&f);
            break;
        case PB_Frame_rel_pc:
            rel_pc = pb_i64(&f);
            break;
        case PB_Frame_source_path_iid:
            file = pb_u64(&f);
            break;
        case PB_Frame_line_number:
            line = pb_u32(&f);
            break;
        case PB_Frame_kind:
            type = frame_type(t, pb_u32(&f));
            break;
        case PB_Frame_kind_str:
            type = trace_intern(t, pb_str(&f));
            break;
        default:
            break;
        }
    }
    struct str text = find_string(s, PB_InternedData_function_names, name);
    string_id name_id = text.p ? trace_intern(t, text) : NULL_STRING;
    if (mapping == 0 && file != 0) {
        struct str path = find_string(s, PB_InternedData_source_paths, file);
        return stack_frame_intern_source(t, name_id, path.p ? trace_intern(t, path) : NULL_STRING,
                                         line);
    }
    uint32_t row = mapping_row(s, mapping);
    if (row == NULL_U32)
        return NULL_U32;
    uint32_t known = t->tables.stack_profile_frame.rows;
    uint32_t frame = stack_frame_intern(t, row, name_id, rel_pc, type);
    if (frame == known)
        deobfuscation_add_frame(s->im, frame);
    return frame;
}

static uint32_t frame_row(const struct source *s, uint64_t iid)
{
    const uint32_t *cached = map_find(&s->cache->frames, cache_key(s, iid));
    if (cached)
        return *cached;
    uint32_t row = read_frame(s, iid);
    if (row != NULL_U32)
        map_set(&s->cache->frames, cache_key(s, iid), row);
    return row;
}

static uint32_t callstack_row(const struct source *s, struct bytes entry)
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

uint32_t callstack_find(struct import *im, const struct interned_generation *g,
                        const struct callstack_lists *own, uint64_t iid, bool *known)
{
    struct callstack_cache *cache = import_state(im, &cache_kind);
    struct source s = {im, g, own, cache};
    uint64_t key = cache_key(&s, iid);
    const uint32_t *cached = map_find(&cache->callsites, key);
    if (known)
        *known = true;
    if (cached)
        return *cached;
    struct bytes entry = find(&s, LIST_CALLSTACKS, PB_InternedData_callstacks, iid);
    if (!entry.p) {
        if (known)
            *known = false;
        return NULL_U32;
    }
    uint32_t callsite = callstack_row(&s, entry);
    if (callsite != NULL_U32)
        map_set(&cache->callsites, key, callsite);
    return callsite;
}

uint32_t callstack_mapping(struct import *im, const struct interned_generation *g, uint64_t iid)
{
    struct source s = {im, g, NULL, import_state(im, &cache_kind)};
    return mapping_row(&s, iid);
}

uint32_t callstack_inline(struct import *im, struct bytes message)
{
    struct trace *t = im->trace;
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
        callsite =
            stack_callsite_intern(t, callsite, stack_frame_intern_source(t, name, file, line));
    }
    return callsite;
}
