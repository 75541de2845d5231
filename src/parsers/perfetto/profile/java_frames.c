#include "parsers/perfetto/profile/java_frames.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/text_set.h"
#include "parsers/perfetto/profile/name_mapping.h"
#include "pb_fields.h"

/* Of one obfuscated name: more share no name, and inline no deeper. */
enum { METHODS_MAX = 1024, CHAIN_MAX = 64 };

void java_frames_release(struct java_frames *j)
{
    map_release(&j->newest);
    vec_release(&j->next);
    vec_release(&j->packages);
}

/* The name of a frame that may be a method, else NULL_STRING. */
static string_id method_name(const struct trace *t, uint32_t frame)
{
    const struct table *frames = &t->tables.stack_profile_frame;
    string_id name = column_str(&frames->columns[stack_profile_frame_col_name], frame);
    struct str text = string_pool_get(&t->strings, name);
    return str_find(text, '.') < text.n ? name : NULL_STRING;
}

static string_id path_of(const struct trace *t, uint32_t frame)
{
    const struct table *maps = &t->tables.stack_profile_mapping;
    uint32_t m = table_u32(&t->tables.stack_profile_frame, stack_profile_frame_col_mapping)[frame];
    return column_str(&maps->columns[stack_profile_mapping_col_name], m);
}

void java_frames_check_paths(struct trace *t, uint32_t first)
{
    struct code_packages packages = {0};
    for (uint32_t i = first; i < t->tables.stack_profile_frame.rows; i++)
        if (method_name(t, i))
            code_packages_check_path(&packages, t, path_of(t, i));
    code_packages_release(&packages);
}

static void index_frames(struct java_frames *j, struct trace *t, struct code_packages *packages)
{
    *j = (struct java_frames){.memfd = trace_intern(t, STR("memfd"))};
    for (uint32_t i = 0; i < t->tables.stack_profile_frame.rows; i++) {
        string_id name = method_name(t, i);
        *vec_push(&j->next) = 0;
        *vec_push(&j->packages) = NULL_STRING;
        if (!name)
            continue;
        string_id path = path_of(t, i);
        string_id package = code_package_of_path(packages, t, path);
        bool memfd = str_starts(string_pool_get(&t->strings, path), STR("/memfd:"));
        vec_last(&j->packages) = !package && memfd ? j->memfd : package;
        bool is_new;
        uint32_t *newest = map_insert(&j->newest, name, &is_new);
        vec_last(&j->next) = *newest;
        *newest = i + 1;
    }
}

/* Frames of a stack whose files do not tell are of the process's package. Each call site is looked
 * at once. */
static void guess_stack(const struct trace *t, struct java_frames *j, uint8_t *seen,
                        uint32_t callsite, string_id package)
{
    const struct table *sites = &t->tables.stack_profile_callsite;
    while (package && callsite != NULL_U32 && !seen[callsite]) {
        uint32_t frame = table_u32(sites, stack_profile_callsite_col_frame_id)[callsite];
        seen[callsite] = 1;
        if (!j->packages.items[frame])
            j->packages.items[frame] = package;
        callsite = table_u32(sites, stack_profile_callsite_col_parent_id)[callsite];
    }
}

static void guess_packages(const struct trace *t, struct java_frames *j,
                           const struct code_packages *packages)
{
    const struct table *allocations = &t->tables.heap_profile_allocation;
    const struct table *samples = &t->tables.profiler_sample;
    const struct table *tasks = &t->tables.profiler_task_context;
    const struct table *threads = &t->tables.heap_graph_thread_callsite;
    uint8_t *seen = alloc_array((size_t)t->tables.stack_profile_callsite.rows + 1, 1);
    for (uint32_t i = 0; i < allocations->rows; i++)
        guess_stack(t, j, seen, table_u32(allocations, heap_profile_allocation_col_callsite_id)[i],
                    code_package_of_process(packages, t,
                                            table_u32(allocations,
                                                      heap_profile_allocation_col_upid)[i]));
    for (uint32_t i = 0; i < samples->rows; i++) {
        uint32_t task = table_u32(samples, profiler_sample_col_task_context_id)[i];
        uint32_t upid =
            task == NULL_U32 ? NULL_U32 : table_u32(tasks, profiler_task_context_col_upid)[task];
        guess_stack(t, j, seen, table_u32(samples, profiler_sample_col_callsite_id)[i],
                    code_package_of_process(packages, t, upid));
    }
    for (uint32_t i = 0; i < threads->rows; i++) {
        uint32_t graph = table_u32(threads, heap_graph_thread_callsite_col_heap_graph_id)[i];
        uint32_t upid = table_u32(&t->tables.heap_graph, heap_graph_col_upid)[graph];
        guess_stack(t, j, seen, table_u32(threads, heap_graph_thread_callsite_col_callsite_id)[i],
                    code_package_of_process(packages, t, upid));
    }
    free(seen);
}

void java_frames_init(struct java_frames *j, struct trace *t, struct code_packages *packages)
{
    index_frames(j, t, packages);
    guess_packages(t, j, packages);
}

/* What an obfuscated method stands for on some lines of the obfuscated file. */
struct method {
    string_id name;
    uint32_t first_line, last_line; /* all where not said */
    uint32_t source_line;           /* NULL_U32: not said */
    uint32_t next;                  /* index + 1 of the next one of that obfuscated name */
};

/* The methods of one obfuscated name. */
struct method_group {
    string_id obfuscated;
    uint32_t first, last; /* indexes + 1 */
    uint32_t count;
};

/* The methods of one mapping whose names frames have. */
struct methods {
    struct map names; /* obfuscated name -> index in groups */
    VEC(struct method_group) groups;
    VEC(struct method) items;
};

static void add_method(struct methods *m, string_id obfuscated, struct method method)
{
    bool is_new;
    uint32_t *at = map_insert(&m->names, obfuscated, &is_new);
    if (is_new) {
        *at = (uint32_t)m->groups.count;
        *vec_push(&m->groups) = (struct method_group){.obfuscated = obfuscated};
    }
    struct method_group *g = &m->groups.items[*at];
    if (g->count++ >= METHODS_MAX)
        return;
    *vec_push(&m->items) = method;
    uint32_t index = (uint32_t)m->items.count;
    if (g->last)
        m->items.items[g->last - 1].next = index;
    else
        g->first = index;
    g->last = index;
}

static void read_method(struct trace *t, const struct java_frames *j, struct methods *m,
                        struct mapping_names class_, struct pb_reader r)
{
    char obfuscated[MAPPING_NAME_BYTES], readable[MAPPING_NAME_BYTES];
    struct mapping_names n = mapping_member_names(class_, r, obfuscated, readable);
    string_id name = string_pool_lookup(&t->strings, n.obfuscated);
    struct method method = {.last_line = UINT32_MAX, .source_line = NULL_U32};
    struct pb_field f;
    if (!name || !map_find(&j->newest, name))
        return;
    while (pb_next(&r, &f)) {
        if (f.number == PB_ObfuscatedMember_obfuscated_line_start)
            method.first_line = pb_u32(&f);
        else if (f.number == PB_ObfuscatedMember_obfuscated_line_end)
            method.last_line = pb_u32(&f);
        else if (f.number == PB_ObfuscatedMember_source_line_start)
            method.source_line = pb_u32(&f);
    }
    method.name = trace_intern(t, n.readable);
    add_method(m, name, method);
}

/* The line that the frame's symbols tell, NULL_U32 for none. */
static uint32_t frame_line(const struct trace *t, uint32_t frame)
{
    const struct table *symbols = &t->tables.stack_profile_symbol;
    const uint32_t *sets = table_u32(symbols, stack_profile_symbol_col_symbol_set_id);
    const uint32_t *lines = table_u32(symbols, stack_profile_symbol_col_line_number);
    uint32_t set =
        table_u32(&t->tables.stack_profile_frame, stack_profile_frame_col_symbol_set_id)[frame];
    for (uint32_t i = set; i < symbols->rows && sets[i] == set; i++)
        if (lines[i] != NULL_U32)
            return lines[i];
    return NULL_U32;
}

/* Methods that a line is from are inlined one into the next. False where there are none. */
static bool resolve_line(struct trace *t, const struct methods *m, const struct method_group *g,
                         uint32_t frame)
{
    struct stack_symbol chain[CHAIN_MAX];
    uint32_t line = frame_line(t, frame);
    size_t n = 0;
    for (uint32_t i = line == NULL_U32 ? 0 : g->first; i && n < CHAIN_MAX;
         i = m->items.items[i - 1].next) {
        const struct method *method = &m->items.items[i - 1];
        if (line >= method->first_line && line <= method->last_line)
            chain[n++] = (struct stack_symbol){.name = method->name,
                                               .line = method->source_line,
                                               .inlined = 1};
    }
    if (n == 0)
        return false;
    chain[n - 1].inlined = 0;
    struct table *frames = &t->tables.stack_profile_frame;
    table_set_u32(frames, stack_profile_frame_col_symbol_set_id, frame,
                  stack_symbols_append(t, chain, n));
    table_set_str(frames, stack_profile_frame_col_deobfuscated_name, frame, chain[n - 1].name);
    return true;
}

static int compare_texts(const void *a, const void *b)
{
    return text_compare(*(const struct str *)a, *(const struct str *)b);
}

/* All that the name may stand for: "One | Other". */
static string_id join_names(struct trace *t, const struct methods *m, const struct method_group *g)
{
    struct str names[METHODS_MAX];
    size_t n = 0, bytes = 0, at = 0;
    for (uint32_t i = g->first; i; i = m->items.items[i - 1].next) {
        names[n] = string_pool_get(&t->strings, m->items.items[i - 1].name);
        bytes += names[n++].n + 3;
    }
    qsort(names, n, sizeof names[0], compare_texts);
    char *text = alloc_array(bytes, 1);
    for (size_t i = 0; i < n; i++) {
        if (i && str_eq(names[i], names[i - 1]))
            continue;
        if (i) {
            memcpy(text + at, " | ", 3);
            at += 3;
        }
        memcpy(text + at, names[i].p, names[i].n);
        at += names[i].n;
    }
    string_id id = trace_intern(t, (struct str){text, at});
    free(text);
    return id;
}

static void rename_frames(struct trace *t, const struct java_frames *j, const struct methods *m,
                          string_id package, uint64_t *work)
{
    for (size_t k = 0; k < m->groups.count; k++) {
        const struct method_group *g = &m->groups.items[k];
        const uint32_t *newest = map_find(&j->newest, g->obfuscated);
        string_id any = join_names(t, m, g);
        uint32_t cost = g->count < METHODS_MAX ? g->count : METHODS_MAX;
        for (uint32_t i = newest ? *newest : 0; i && *work >= cost; i = j->next.items[i - 1]) {
            string_id of = j->packages.items[i - 1];
            *work -= cost;
            if ((of == package || of == j->memfd) && !resolve_line(t, m, g, i - 1))
                table_set_str(&t->tables.stack_profile_frame,
                              stack_profile_frame_col_deobfuscated_name, i - 1, any);
        }
    }
}

void java_frames_rename(const struct java_frames *j, struct trace *t, struct bytes mapping,
                        uint64_t *work)
{
    struct methods m = {0};
    struct pb_reader classes = bytes_reader(mapping);
    struct pb_field f, g;
    string_id package = mapping_package(t, mapping);
    while (package && pb_next(&classes, &f)) {
        if (f.number != PB_DeobfuscationMapping_obfuscated_classes)
            continue;
        struct pb_reader members = pb_message(&f);
        struct mapping_names class_ = mapping_class_names(members);
        while (pb_next(&members, &g))
            if (g.number == PB_ObfuscatedClass_obfuscated_methods)
                read_method(t, j, &m, class_, pb_message(&g));
    }
    rename_frames(t, j, &m, package, work);
    map_release(&m.names);
    vec_release(&m.groups);
    vec_release(&m.items);
}
