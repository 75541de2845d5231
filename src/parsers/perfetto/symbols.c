#include "parsers/perfetto/symbols.h"

#include "base/hash.h"
#include "parsers/perfetto/modules.h"
#include "pb_fields.h"

enum { NAME_BYTES = 1024, BUILD_ID_BYTES = 64, SYMBOL_LINES = 64 };

/* A frame of Java code, and the package that its code is from (NULL_STRING: any). */
struct java_frame {
    uint32_t frame;
    string_id package;
    uint32_t next; /* index + 1 of another frame of that name */
};

struct symbol_state {
    VEC(struct bytes) modules;   /* ModuleSymbols */
    VEC(struct bytes) addresses; /* AddressSymbols of all modules, once one was asked for */
    struct map address_index;    /* hash of path, build id and address -> index in addresses */
    VEC(struct bytes) mappings;  /* DeobfuscationMapping */
    VEC(struct java_frame) frames;
    struct map frames_by_name; /* string_id -> index + 1, newest first */
    struct map classes;        /* obfuscated name -> what it stands for, once one was asked for */
    bool classes_known;
};

static void symbol_state_release(void *state)
{
    struct symbol_state *s = state;
    vec_release(&s->modules);
    vec_release(&s->addresses);
    map_release(&s->address_index);
    vec_release(&s->mappings);
    vec_release(&s->frames);
    map_release(&s->frames_by_name);
    map_release(&s->classes);
}

static void symbol_state_finish(struct import *im, void *state);

static const struct import_state_kind symbol_kind = {.size = sizeof(struct symbol_state),
                                                     .finish = symbol_state_finish,
                                                     .release = symbol_state_release};

bool module_symbols_tokenize(struct import *im, struct packet *p)
{
    struct symbol_state *s = import_state(im, &symbol_kind);
    *vec_push(&s->modules) = p->field;
    return true;
}

bool deobfuscation_mapping_tokenize(struct import *im, struct packet *p)
{
    struct symbol_state *s = import_state(im, &symbol_kind);
    *vec_push(&s->mappings) = p->field;
    return true;
}

/* "/data/app/~~RANDOM/PACKAGE-RANDOM/base.apk", where the first folder may be missing. */
static struct str package_of_app(struct str path)
{
    path = str_skip(path, strlen("/data/app/"));
    if (str_starts(path, STR("~~")))
        path = str_skip(path, str_find(path, '/') < path.n ? str_find(path, '/') + 1 : path.n);
    size_t slash = str_find(path, '/'), minus = str_find(path, '-');
    return minus < slash && slash < path.n ? str_from_to(path, 0, minus) : (struct str){NULL, 0};
}

void deobfuscation_add_frame(struct import *im, uint32_t frame)
{
    struct trace *t = im->trace;
    string_id name =
        column_str(&t->tables.stack_profile_frame.columns[stack_profile_frame_col_name], frame);
    struct str text = string_pool_get(&t->strings, name);
    if (str_find(text, '.') == text.n)
        return;
    uint32_t mapping =
        table_u32(&t->tables.stack_profile_frame, stack_profile_frame_col_mapping)[frame];
    struct str path = string_pool_get(
        &t->strings,
        column_str(&t->tables.stack_profile_mapping.columns[stack_profile_mapping_col_name],
                   mapping));
    string_id package = NULL_STRING;
    if (str_starts(path, STR("/data/app/"))) {
        struct str found = package_of_app(path);
        if (found.p)
            package = trace_intern(t, found);
        else
            stats_count(t, STAT_deobfuscate_location_parse_error);
    }
    struct symbol_state *s = import_state(im, &symbol_kind);
    bool inserted;
    uint32_t *newest = map_insert(&s->frames_by_name, name, &inserted);
    *vec_push(&s->frames) = (struct java_frame){frame, package, *newest};
    *newest = (uint32_t)s->frames.count;
}

static string_id hex_id(struct trace *t, struct str raw)
{
    static const char digits[] = "0123456789abcdef";
    char text[2 * BUILD_ID_BYTES];
    size_t n = raw.n < BUILD_ID_BYTES ? raw.n : BUILD_ID_BYTES;
    for (size_t i = 0; i < n; i++) {
        text[2 * i] = digits[(unsigned char)raw.p[i] >> 4];
        text[2 * i + 1] = digits[(unsigned char)raw.p[i] & 15];
    }
    return trace_intern(t, (struct str){text, 2 * n});
}

static struct stack_symbol read_line(struct trace *t, struct pb_reader r)
{
    struct stack_symbol s = {.name = trace_intern(t, STR("")),
                             .line = NULL_U32,
                             .inlined = NULL_U32};
    struct pb_field f;
    while (pb_next(&r, &f)) {
        if (f.number == PB_Line_function_name)
            s.name = trace_intern(t, pb_str(&f));
        else if (f.number == PB_Line_source_file_name)
            s.file = trace_intern(t, pb_str(&f));
        else if (f.number == PB_Line_line_number)
            s.line = pb_u32(&f);
    }
    return s;
}

/* Frames by mapping and address, for the modules' symbols. */
struct address_index {
    struct map frames; /* hash -> frame + 1, the newest */
    VEC(uint32_t) next;
};

static struct address_index index_frames(struct trace *t)
{
    struct address_index index = {0};
    const struct table *table = &t->tables.stack_profile_frame;
    const uint32_t *mappings = table_u32(table, stack_profile_frame_col_mapping);
    const int64_t *pcs = table_i64(table, stack_profile_frame_col_rel_pc);
    for (uint32_t i = 0; i < table->rows; i++) {
        bool inserted;
        uint32_t *newest =
            map_insert(&index.frames, hash_mix(mappings[i], (uint64_t)pcs[i]), &inserted);
        *vec_push(&index.next) = *newest;
        *newest = i + 1;
    }
    return index;
}

static void add_address(struct import *im, const struct address_index *index, string_id path,
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
    for (size_t i = 0; i < n; i++)
        lines[i].inlined = i + 1 < n;
    const struct table *maps = &t->tables.stack_profile_mapping;
    bool found = false;
    uint32_t set = NULL_U32;
    for (uint32_t m = 0; m < maps->rows && n > 0; m++) {
        if (column_str(&maps->columns[stack_profile_mapping_col_name], m) != path ||
            column_str(&maps->columns[stack_profile_mapping_col_build_id], m) != build_id)
            continue;
        const uint32_t *newest = map_find(&index->frames, hash_mix(m, address));
        for (uint32_t i = newest ? *newest : 0; i != 0; i = index->next.items[i - 1]) {
            found = true;
            if (set == NULL_U32)
                set = stack_symbols_append(t, lines, n);
            table_set_u32(&t->tables.stack_profile_frame, stack_profile_frame_col_symbol_set_id,
                          i - 1, set);
        }
    }
    if (!found)
        stats_count(t, STAT_stackprofile_invalid_frame_id);
}

static bool mapping_exists(const struct trace *t, string_id path, string_id build_id)
{
    const struct table *maps = &t->tables.stack_profile_mapping;
    for (uint32_t m = 0; m < maps->rows; m++)
        if (column_str(&maps->columns[stack_profile_mapping_col_name], m) == path &&
            column_str(&maps->columns[stack_profile_mapping_col_build_id], m) == build_id)
            return true;
    return false;
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
            m.build_id = hex_id(t, pb_str(&f));
    }
    return m;
}

static void add_module(struct import *im, const struct address_index *index, struct bytes message)
{
    struct module m = read_module(im->trace, message);
    struct pb_reader r = bytes_reader(message);
    struct pb_field f;
    if (!mapping_exists(im->trace, m.path, m.build_id)) {
        stats_count(im->trace, STAT_stackprofile_invalid_mapping_id);
        return;
    }
    while (pb_next(&r, &f))
        if (f.number == PB_ModuleSymbols_address_symbols)
            add_address(im, index, m.path, m.build_id, pb_message(&f));
}

static uint64_t address_key(string_id path, string_id build_id, uint64_t address)
{
    return hash_mix((uint64_t)path << 32 | build_id, address);
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

/* All frames of the name whose package does not say otherwise. */
static void rename_frames(struct import *im, struct symbol_state *s, string_id package,
                          struct str obfuscated, struct str readable)
{
    string_id name = string_pool_lookup(&im->trace->strings, obfuscated);
    const uint32_t *newest = name ? map_find(&s->frames_by_name, name) : NULL;
    for (uint32_t i = newest ? *newest : 0; i != 0; i = s->frames.items[i - 1].next) {
        const struct java_frame *j = &s->frames.items[i - 1];
        if (j->package && package && j->package != package)
            continue;
        table_set_str(&im->trace->tables.stack_profile_frame,
                      stack_profile_frame_col_deobfuscated_name, j->frame,
                      trace_intern(im->trace, readable));
    }
}

static struct str join(char *buffer, struct str class_name, struct str member)
{
    int n = snprintf(buffer, NAME_BYTES, "%.*s.%.*s", (int)(class_name.n & 0xffff), class_name.p,
                     (int)(member.n & 0xffff), member.p);
    return (struct str){buffer, n < 0 ? 0 : n < NAME_BYTES ? (size_t)n : NAME_BYTES - 1};
}

static void rename_methods(struct import *im, struct symbol_state *s, string_id package,
                           struct pb_reader r)
{
    struct pb_reader methods = r;
    struct pb_field f, g;
    struct str obfuscated = {"", 0}, readable = {"", 0};
    while (pb_next(&r, &f)) {
        if (f.number == PB_ObfuscatedClass_obfuscated_name)
            obfuscated = pb_str(&f);
        else if (f.number == PB_ObfuscatedClass_deobfuscated_name)
            readable = pb_str(&f);
    }
    while (pb_next(&methods, &f)) {
        if (f.number != PB_ObfuscatedClass_obfuscated_methods)
            continue;
        struct pb_reader method = pb_message(&f);
        struct str from = {"", 0}, to = {"", 0};
        char from_text[NAME_BYTES], to_text[NAME_BYTES];
        while (pb_next(&method, &g)) {
            if (g.number == PB_ObfuscatedMember_obfuscated_name)
                from = pb_str(&g);
            else if (g.number == PB_ObfuscatedMember_deobfuscated_name)
                to = pb_str(&g);
        }
        /* Methods that were moved into this class have their own in front. */
        bool qualified = str_find(to, '.') < to.n;
        rename_frames(im, s, package, join(from_text, obfuscated, from),
                      qualified ? to : join(to_text, readable, to));
    }
}

static void apply_deobfuscation(struct import *im, struct symbol_state *s, struct bytes message)
{
    struct pb_reader r = bytes_reader(message), classes = r;
    struct pb_field f;
    string_id package = NULL_STRING;
    while (pb_next(&r, &f))
        if (f.number == PB_DeobfuscationMapping_package_name && f.value)
            package = trace_intern(im->trace, pb_str(&f));
    while (pb_next(&classes, &f))
        if (f.number == PB_DeobfuscationMapping_obfuscated_classes)
            rename_methods(im, s, package, pb_message(&f));
}

static void note_class(struct import *im, struct symbol_state *s, struct pb_reader r)
{
    struct pb_field f;
    string_id from = NULL_STRING, to = NULL_STRING;
    while (pb_next(&r, &f)) {
        if (f.number == PB_ObfuscatedClass_obfuscated_name)
            from = trace_intern(im->trace, pb_str(&f));
        else if (f.number == PB_ObfuscatedClass_deobfuscated_name)
            to = trace_intern(im->trace, pb_str(&f));
    }
    if (from && to)
        map_set(&s->classes, from, to);
}

string_id deobfuscated_class(struct import *im, string_id name)
{
    struct symbol_state *s = import_state(im, &symbol_kind);
    for (size_t i = 0; i < s->mappings.count && !s->classes_known; i++) {
        struct pb_reader classes = bytes_reader(s->mappings.items[i]);
        struct pb_field f;
        while (pb_next(&classes, &f))
            if (f.number == PB_DeobfuscationMapping_obfuscated_classes)
                note_class(im, s, pb_message(&f));
    }
    s->classes_known = true;
    const uint32_t *to = map_find(&s->classes, name);
    return to ? *to : NULL_STRING;
}

static void symbol_state_finish(struct import *im, void *state)
{
    struct symbol_state *s = state;
    if (s->modules.count) {
        struct address_index index = index_frames(im->trace);
        for (size_t i = 0; i < s->modules.count; i++)
            add_module(im, &index, s->modules.items[i]);
        map_release(&index.frames);
        vec_release(&index.next);
    }
    for (size_t i = 0; i < s->mappings.count; i++)
        apply_deobfuscation(im, s, s->mappings.items[i]);
}
