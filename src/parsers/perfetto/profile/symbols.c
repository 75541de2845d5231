#define PB_READS_LITTLE
#include "parsers/perfetto/profile/symbols.h"

#include "base/hash.h"
#include "parsers/perfetto/packets/import.h"
#include "parsers/perfetto/profile/callstack.h"
#include "parsers/proto/wire.h"
#include "pb_fields.h"

enum { SYMBOL_LINES = 64 };

struct symbol_state {
    VEC(struct bytes) modules;   /* ModuleSymbols */
    VEC(struct bytes) addresses; /* AddressSymbols of all modules, once one was asked for */
    struct map address_index;    /* hash of path, build id and address -> index in addresses */
};

static void symbol_state_release(void *state)
{
    struct symbol_state *s = state;
    vec_release(&s->modules);
    vec_release(&s->addresses);
    map_release(&s->address_index);
}

static void symbol_state_finish(struct import *im, void *state);

static const struct import_state_kind symbol_kind = {.size = sizeof(struct symbol_state),
                                                     .finish = symbol_state_finish,
                                                     .release = symbol_state_release};

static bool module_symbols_tokenize(struct import *im, struct packet *p)
{
    struct symbol_state *s = import_state(im, &symbol_kind);
    *vec_push(&s->modules) = p->field;
    return true;
}

static struct stack_symbol read_line(struct trace *t, struct pb_reader r)
{
    struct stack_symbol s = {.name = trace_intern(t, STR("")),
                             .line = NULL_U32,
                             .inlined = NULL_U32};
    struct pb_field f;
    uint32_t line = NULL_U32;
    while (pb_next(&r, &f)) {
        if (f.number == PB_Line_function_name)
            s.name = trace_intern(t, pb_str(&f));
        else if (f.number == PB_Line_source_file_name && f.value)
            s.file = trace_intern(t, pb_str(&f));
        else if (f.number == PB_Line_line_number)
            line = pb_u32(&f);
    }
    s.line = s.file ? line : NULL_U32;
    return s;
}

static uint64_t address_key(string_id path, string_id build_id, uint64_t address)
{
    return hash_mix((uint64_t)path << 32 | build_id, address);
}

/* What the modules' symbols are looked up in. */
struct frame_index {
    struct map modules; /* path << 32 | build id, of all mappings */
    struct map frames;  /* address_key -> frame + 1, the newest */
    VEC(uint32_t) next;
};

static struct frame_index index_frames(struct trace *t)
{
    struct frame_index index = {0};
    const struct table *frames = &t->tables.stack_profile_frame;
    const struct table *maps = &t->tables.stack_profile_mapping;
    const struct column *paths = &maps->columns[stack_profile_mapping_col_name];
    const struct column *ids = &maps->columns[stack_profile_mapping_col_build_id];
    for (uint32_t m = 0; m < maps->rows; m++)
        map_set(&index.modules, (uint64_t)column_str(paths, m) << 32 | column_str(ids, m), 1);
    for (uint32_t i = 0; i < frames->rows; i++) {
        bool inserted;
        uint32_t m = table_u32(frames, stack_profile_frame_col_mapping)[i];
        int64_t pc = table_i64(frames, stack_profile_frame_col_rel_pc)[i];
        uint64_t key = address_key(column_str(paths, m), column_str(ids, m), (uint64_t)pc);
        uint32_t *newest = map_insert(&index.frames, key, &inserted);
        *vec_push(&index.next) = *newest;
        *newest = i + 1;
    }
    return index;
}

static void add_address(struct import *im, const struct frame_index *index, string_id path,
                        string_id build_id, struct pb_reader r)
{
    struct trace *t = im->trace;
    struct stack_symbol lines[SYMBOL_LINES];
    size_t n = 0;
    struct pb_field f;
    uint64_t address = 0;
    while (pb_next(&r, &f)) {
        if (f.number == PB_AddressSymbols_address)
            address = pb_u64(&f);
        else if (f.number == PB_AddressSymbols_lines && n < SYMBOL_LINES)
            lines[n++] = read_line(t, pb_message(&f));
    }
    if (n == 0)
        return;
    uint32_t set = stack_symbols_append(t, lines, n);
    const uint32_t *newest = map_find(&index->frames, address_key(path, build_id, address));
    if (!newest) {
        stats_count(t, STAT_stackprofile_invalid_frame_id);
        return;
    }
    for (uint32_t i = *newest; i != 0; i = index->next.items[i - 1])
        table_set_u32(&t->tables.stack_profile_frame, stack_profile_frame_col_symbol_set_id, i - 1,
                      set);
}

struct module {
    string_id path, build_id;
};

static struct module read_module(struct trace *t, struct bytes message)
{
    string_id empty = trace_intern(t, STR(""));
    struct module m = {empty, empty};
    struct pb_reader r = bytes_reader(message);
    struct pb_field f;
    while (pb_next(&r, &f)) {
        if (f.number == PB_ModuleSymbols_path)
            m.path = trace_intern(t, pb_str(&f));
        else if (f.number == PB_ModuleSymbols_build_id)
            m.build_id = build_id_intern(t, pb_str(&f));
    }
    return m;
}

static void add_module(struct import *im, const struct frame_index *index, struct bytes message)
{
    struct module m = read_module(im->trace, message);
    struct pb_reader r = bytes_reader(message);
    struct pb_field f;
    if (!map_find(&index->modules, (uint64_t)m.path << 32 | m.build_id)) {
        stats_count(im->trace, STAT_stackprofile_invalid_mapping_id);
        return;
    }
    while (pb_next(&r, &f))
        if (f.number == PB_ModuleSymbols_address_symbols)
            add_address(im, index, m.path, m.build_id, pb_message(&f));
}

static void index_module(struct import *im, struct symbol_state *s, struct bytes message)
{
    struct module m = read_module(im->trace, message);
    struct pb_reader r = bytes_reader(message);
    struct pb_field f, g;
    while (pb_next(&r, &f)) {
        if (f.number != PB_ModuleSymbols_address_symbols)
            continue;
        struct pb_reader symbol = pb_message(&f);
        uint64_t address = 0;
        while (pb_next(&symbol, &g))
            if (g.number == PB_AddressSymbols_address)
                address = pb_u64(&g);
        map_set(&s->address_index, address_key(m.path, m.build_id, address),
                (uint32_t)s->addresses.count);
        *vec_push(&s->addresses) = field_bytes(&f);
    }
}

struct str module_symbols_find(struct import *im, uint32_t mapping, uint64_t rel_pc)
{
    struct trace *t = im->trace;
    struct symbol_state *s = import_state(im, &symbol_kind);
    const struct table *maps = &t->tables.stack_profile_mapping;
    struct str name = {NULL, 0};
    if (s->modules.count && !s->addresses.count)
        for (size_t i = 0; i < s->modules.count; i++)
            index_module(im, s, s->modules.items[i]);
    uint64_t key =
        address_key(column_str(&maps->columns[stack_profile_mapping_col_name], mapping),
                    column_str(&maps->columns[stack_profile_mapping_col_build_id], mapping),
                    rel_pc);
    const uint32_t *at = map_find(&s->address_index, key);
    if (!at)
        return name;
    struct pb_reader r = bytes_reader(s->addresses.items[*at]);
    struct pb_field f, g;
    while (pb_next(&r, &f)) {
        if (f.number != PB_AddressSymbols_lines)
            continue;
        struct pb_reader line = pb_message(&f);
        while (pb_next(&line, &g))
            if (g.number == PB_Line_function_name)
                name = pb_str(&g);
    }
    return name;
}

static void symbol_state_finish(struct import *im, void *state)
{
    struct symbol_state *s = state;
    if (s->modules.count) {
        struct frame_index index = index_frames(im->trace);
        for (size_t i = 0; i < s->modules.count; i++)
            add_module(im, &index, s->modules.items[i]);
        map_release(&index.modules);
        map_release(&index.frames);
        vec_release(&index.next);
    }
}

const struct packet_module symbols_packets[] = {
    {PB_TracePacket_module_symbols, .tokenize = module_symbols_tokenize, .felt = PACKET_ALWAYS},
    {0},
};
