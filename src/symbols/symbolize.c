#include "symbols/symbolize.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/hash.h"
#include "base/map.h"
#include "pb_fields.h"
#include "symbols/elf_file.h"
#include "symbols/symbol_source.h"

/* An address of a module, and how many frames have it. */
struct frame_address {
    uint64_t rel_pc;
    uint32_t module, frames;
    bool resolved;
};

struct symbolizer {
    const struct trace *trace;
    const struct symbol_places *places;
    struct symbol_index *index; /* NULL: not asked for yet */
    struct symbolize_report *report;
    struct pb_bytes *packets;
    VEC(struct frame_address) addresses; /* by module and address */

    /* The module being worked on, and the source that is asked: */
    struct symbolized_module *module;
    struct pb_bytes module_symbols;
    VEC(uint32_t) asked;  /* indexes of addresses */
    VEC(uint64_t) inputs; /* what the source calls them */
    uint32_t answered;    /* frames */
};

static bool is_kernel(struct str name)
{
    return str_starts(name, STR("[kernel"));
}

/* Memory that no file is behind. */
static bool is_memory(struct str name)
{
    static const char *const kinds[] = {"[", "/[", "//anon", "/memfd:", "/dev/"};
    bool memory = name.n == 0;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds && !memory; i++)
        memory = str_starts(name, str_from(kinds[i]));
    return memory;
}

static enum symbolized_state first_state(const struct symbolized_module *m)
{
    if (m->build_id.n > 0)
        return SYMBOLIZED_NO_FILE;
    if (is_kernel(m->name))
        return SYMBOLIZED_KERNEL;
    return is_memory(m->name) ? SYMBOLIZED_NO_PROGRAM : SYMBOLIZED_NO_BUILD_ID;
}

static uint32_t add_module(struct symbolizer *s, struct map *known, uint32_t mapping)
{
    const struct trace *t = s->trace;
    const struct table *maps = &t->tables.stack_profile_mapping;
    string_id name = column_str(&maps->columns[stack_profile_mapping_col_name], mapping);
    string_id id = column_str(&maps->columns[stack_profile_mapping_col_build_id], mapping);
    int64_t bias = table_i64(maps, stack_profile_mapping_col_load_bias)[mapping];
    bool is_new;
    uint32_t *number =
        map_insert(known, hash_mix((uint64_t)name << 32 | id, (uint64_t)bias), &is_new);
    if (!is_new)
        return *number;
    *number = (uint32_t)s->report->modules.count;
    struct symbolized_module m = {.name = string_pool_get(&t->strings, name),
                                  .build_id = string_pool_get(&t->strings, id),
                                  .load_bias = (uint64_t)bias};
    m.state = first_state(&m);
    *vec_push(&s->report->modules) = m;
    return *number;
}

static int compare_addresses(const void *a, const void *b)
{
    const struct frame_address *x = a, *y = b;
    if (x->module != y->module)
        return x->module < y->module ? -1 : 1;
    return x->rel_pc < y->rel_pc ? -1 : x->rel_pc > y->rel_pc;
}

/* The addresses of frames that have no symbols yet, each once. */
static void list_addresses(struct symbolizer *s)
{
    const struct table *frames = &s->trace->tables.stack_profile_frame;
    const uint32_t *sets = table_u32(frames, stack_profile_frame_col_symbol_set_id);
    const uint32_t *mappings = table_u32(frames, stack_profile_frame_col_mapping);
    const int64_t *pcs = table_i64(frames, stack_profile_frame_col_rel_pc);
    struct map known = {0};
    for (uint32_t i = 0; i < frames->rows; i++)
        if (sets[i] == NULL_U32)
            *vec_push(&s->addresses) =
                (struct frame_address){.rel_pc = (uint64_t)pcs[i],
                                       .module = add_module(s, &known, mappings[i]),
                                       .frames = 1};
    map_release(&known);
    struct frame_address *a = s->addresses.items;
    size_t n = 0;
    if (s->addresses.count > 0)
        qsort(a, s->addresses.count, sizeof *a, compare_addresses);
    for (size_t i = 0; i < s->addresses.count; i++) {
        s->report->modules.items[a[i].module].frames++;
        if (n > 0 && compare_addresses(&a[n - 1], &a[i]) == 0)
            a[n - 1].frames++;
        else
            a[n++] = a[i];
    }
    s->addresses.count = n;
}

/* What a source knows of an address becomes an AddressSymbols. */
static void take_symbols(void *self, size_t asked, const struct symbol_line *lines, size_t count)
{
    struct symbolizer *s = self;
    struct frame_address *a = &s->addresses.items[s->asked.items[asked]];
    struct pb_bytes address = {0}, line = {0};
    pb_put_uint(&address, PB_AddressSymbols_address, a->rel_pc);
    for (size_t i = 0; i < count; i++) {
        line.v.count = 0;
        pb_put_str(&line, PB_Line_function_name, lines[i].function);
        if (lines[i].file.n > 0)
            pb_put_str(&line, PB_Line_source_file_name, lines[i].file);
        if (lines[i].line > 0)
            pb_put_uint(&line, PB_Line_line_number, lines[i].line);
        pb_put_message(&address, PB_AddressSymbols_lines, &line);
    }
    pb_put_message(&s->module_symbols, PB_ModuleSymbols_address_symbols, &address);
    pb_bytes_release(&address);
    pb_bytes_release(&line);
    a->resolved = true;
    s->answered += a->frames;
}

/* The addresses [first, end) of the module that no source has known, as `elf` calls them. */
static void list_inputs(struct symbolizer *s, size_t first, size_t end, const struct elf_file *elf)
{
    s->asked.count = s->inputs.count = 0;
    s->answered = 0;
    for (size_t i = first; i < end; i++) {
        uint64_t pc = s->addresses.items[i].rel_pc;
        if (s->addresses.items[i].resolved)
            continue;
        *vec_push(&s->asked) = (uint32_t)i;
        *vec_push(&s->inputs) = elf ? elf_file_address(elf, pc, s->module->load_bias) : pc;
    }
}

/* Notes what came of asking the file at `path`, which is taken over. */
static void end_source(struct symbolizer *s, char *path, struct status status)
{
    struct symbolized_module *m = s->module;
    m->state = SYMBOLIZED_NO_FUNCTION;
    if (!m->source || s->answered > m->resolved) {
        free(m->source);
        m->source = path;
    } else {
        free(path);
    }
    m->resolved += s->answered;
    if (m->resolved == m->frames)
        m->state = SYMBOLIZED_ALL;
    if (!status_ok(status) && !s->report->problem)
        s->report->problem = alloc_copy(status.message, strlen(status.message));
    status_release(&status);
}

/* `path` is a file of the module's build; taken over. */
static void ask_elf(struct symbolizer *s, size_t first, size_t end, char *path)
{
    struct elf_file elf;
    const char *program = s->places->program ? s->places->program : "llvm-symbolizer";
    struct status status = elf_file_read(path, &elf);
    if (status_ok(status)) {
        list_inputs(s, first, end, &elf);
        status = llvm_symbolize(program, path, s->inputs.items, s->inputs.count, take_symbols, s);
    }
    elf_file_release(&elf);
    end_source(s, path, status);
}

static bool is_done(const struct symbolizer *s)
{
    return s->module->state == SYMBOLIZED_ALL;
}

static void ask_folders(struct symbolizer *s, size_t first, size_t end)
{
    const struct symbol_places *p = s->places;
    struct symbolized_module *m = s->module;
    for (size_t i = 0; i < p->folders.count && p->by_path && !is_done(s); i++) {
        char *path = symbol_file_find(p->folders.items[i], m->name, m->build_id, &m->attempts);
        if (path)
            ask_elf(s, first, end, path);
    }
}

static void ask_index(struct symbolizer *s, size_t first, size_t end)
{
    const struct symbol_places *p = s->places;
    if (!p->by_id || is_done(s))
        return;
    if (!s->index) {
        s->index = symbol_index_new();
        for (size_t i = 0; i < p->folders.count; i++)
            symbol_index_add(s->index, p->folders.items[i]);
    }
    const char *path = symbol_index_find(s->index, s->module->build_id);
    for (size_t i = 0; !path && i < p->folders.count; i++)
        symbol_attempts_add(&s->module->attempts, p->folders.items[i],
                            "nothing below is of that build");
    if (path && (!s->module->source || strcmp(path, s->module->source) != 0))
        ask_elf(s, first, end, alloc_copy(path, strlen(path)));
}

static void ask_recorded_path(struct symbolizer *s, size_t first, size_t end)
{
    struct symbolized_module *m = s->module;
    bool is_path = m->name.n > 0 && m->name.p[0] == '/' && !memchr(m->name.p, 0, m->name.n);
    if (!s->places->recorded_paths || is_done(s) || !is_path)
        return;
    char *path = alloc_copy(m->name.p, m->name.n);
    bool tried = m->source && strcmp(path, m->source) == 0;
    if (!tried && symbol_file_matches(path, m->build_id, &m->attempts))
        ask_elf(s, first, end, path);
    else
        free(path);
}

static void ask_breakpad(struct symbolizer *s, size_t first, size_t end)
{
    const struct symbol_places *p = s->places;
    for (size_t i = 0; i < p->breakpad_folders.count && !is_done(s); i++) {
        char *path;
        list_inputs(s, first, end, NULL);
        struct status status =
            breakpad_symbolize(p->breakpad_folders.items[i], s->module->build_id, s->inputs.items,
                               s->inputs.count, take_symbols, s, &path);
        if (path)
            end_source(s, path, status);
        else
            symbol_attempts_add(&s->module->attempts, p->breakpad_folders.items[i],
                                "no .breakpad file of that build");
    }
}

static int hex_value(char c)
{
    return c >= 'a' ? c - 'a' + 10 : c - '0';
}

/* The module's packet, where there is something to tell. */
static void put_packet(struct symbolizer *s)
{
    struct pb_bytes id = {0}, symbols = {0}, packet = {0};
    if (s->module_symbols.v.count == 0)
        return;
    struct str text = s->module->build_id;
    for (size_t i = 0; i + 1 < text.n; i += 2)
        *vec_push(&id.v) = (uint8_t)(hex_value(text.p[i]) << 4 | hex_value(text.p[i + 1]));
    pb_put_str(&symbols, PB_ModuleSymbols_path, s->module->name);
    pb_put_message(&symbols, PB_ModuleSymbols_build_id, &id);
    pb_put_raw(&symbols, s->module_symbols.v.items, s->module_symbols.v.count);
    pb_put_message(&packet, PB_TracePacket_module_symbols, &symbols);
    pb_put_message(s->packets, PB_Trace_packet, &packet);
    pb_bytes_release(&id);
    pb_bytes_release(&symbols);
    pb_bytes_release(&packet);
    s->module_symbols.v.count = 0;
}

static void ask_all(struct symbolizer *s, size_t first, size_t end)
{
    ask_folders(s, first, end);
    ask_index(s, first, end);
    ask_recorded_path(s, first, end);
    ask_breakpad(s, first, end);
    put_packet(s);
}

/* Whether the trace's hex digits are what they should be: they may come from text formats. */
static bool is_hex(struct str s)
{
    for (size_t i = 0; i < s.n; i++)
        if (!((s.p[i] >= '0' && s.p[i] <= '9') || (s.p[i] >= 'a' && s.p[i] <= 'f')))
            return false;
    return s.n > 0 && s.n % 2 == 0;
}

void symbolize(const struct trace *t, const struct symbol_places *places, struct pb_bytes *packets,
               struct symbolize_report *report)
{
    struct symbolizer s = {.trace = t, .places = places, .report = report, .packets = packets};
    list_addresses(&s);
    for (size_t first = 0, end; first < s.addresses.count; first = end) {
        uint32_t module = s.addresses.items[first].module;
        for (end = first + 1; end < s.addresses.count && s.addresses.items[end].module == module;)
            end++;
        s.module = &report->modules.items[module];
        if (is_hex(s.module->build_id))
            ask_all(&s, first, end);
    }
    symbol_index_free(s.index);
    vec_release(&s.addresses);
    vec_release(&s.asked);
    vec_release(&s.inputs);
    pb_bytes_release(&s.module_symbols);
}

void symbolize_report_release(struct symbolize_report *r)
{
    for (size_t i = 0; i < r->modules.count; i++) {
        free(r->modules.items[i].source);
        symbol_attempts_release(&r->modules.items[i].attempts);
    }
    vec_release(&r->modules);
    free(r->problem);
}

void symbol_places_release(struct symbol_places *p)
{
    vec_release(&p->folders);
    vec_release(&p->breakpad_folders);
}
