#include "parsers/perfetto/profile/deobfuscation.h"

#include "base/hash.h"
#include "core/stats.h"
#include "parsers/perfetto/packets/import.h"
#include "parsers/proto/wire.h"
#include "pb_fields.h"

enum { NAME_BYTES = 1024 };
/* Of one obfuscated name: more share no name, and inline no deeper. */
enum { METHODS_MAX = 1024, CHAIN_MAX = 64 };
/* How many frames and methods are looked at for all mappings of a trace: each mapping may name each
 * frame again. */
enum { WORK_MIN = 1 << 24, WORK_PER_BYTE = 16 };

struct deobfuscation_state {
    VEC(struct bytes) mappings; /* DeobfuscationMapping */
    struct map classes;         /* obfuscated name -> what it stands for, once one was asked for */
    bool classes_known;
};

static void deobfuscation_release(void *state)
{
    struct deobfuscation_state *s = state;
    vec_release(&s->mappings);
    map_release(&s->classes);
}

static const struct import_state_kind deobfuscation_kind = {.size =
                                                                sizeof(struct deobfuscation_state),
                                                            .release = deobfuscation_release};

static bool deobfuscation_mapping_tokenize(struct import *im, struct packet *p)
{
    struct deobfuscation_state *s = import_state(im, &deobfuscation_kind);
    *vec_push(&s->mappings) = p->field;
    return true;
}

/* Code of apps that come with the system, whose paths do not tell the package. */
static const struct {
    bool anywhere; /* in the path; else at its begin */
    const char *text, *package;
} system_apps[] = {
    {false, "/system_ext/priv-app/SystemUIGoogle/SystemUIGoogle.apk", "com.android.systemui"},
    {false, "/product/priv-app/Phonesky/Phonesky.apk", "com.android.vending"},
    {false, "/product/app/Maps/Maps.apk", "com.google.android.apps.maps"},
    {false, "/system_ext/priv-app/NexusLauncherRelease/NexusLauncherRelease.apk",
     "com.google.android.apps.nexuslauncher"},
    {false, "/product/app/Photos/Photos.apk", "com.google.android.apps.photos"},
    {false, "/product/priv-app/WellbeingPrebuilt/WellbeingPrebuilt.apk",
     "com.google.android.apps.wellbeing"},
    {true, "DevicePersonalizationPrebuilt", "com.google.android.as"},
    {true, "MatchMaker", "com.google.android.as"},
    {true, "DeviceIntelligenceNetworkPrebuilt", "com.google.android.as.oss"},
    {true, "SettingsIntelligenceGooglePrebuilt", "com.google.android.settings.intelligence"},
    {false, "/product/app/PrebuiltGmail/PrebuiltGmail.apk", "com.google.android.gm"},
    {true, "PrebuiltGmsCore", "com.google.android.gms"},
    {true, "com.google.android.gms", "com.google.android.gms"},
    {false, "/product/priv-app/Velvet/Velvet.apk", "com.google.android.googlequicksearchbox"},
    {false, "/product/app/LatinIMEGooglePrebuilt/LatinIMEGooglePrebuilt.apk",
     "com.google.android.inputmethod.latin"},
    {false, "/product/app/PrebuiltBugle/PrebuiltBugle.apk", "com.google.android.apps.messaging"},
};

static struct str find_text(struct str s, struct str what)
{
    const char *hit = s.n ? memmem(s.p, s.n, what.p, what.n) : NULL;
    return hit ? str_skip(s, (size_t)(hit - s.p)) : (struct str){NULL, 0};
}

/* Stands for the package of a path that should tell it, and does not. */
static const string_id unreadable = UINT32_MAX;

/* "/data/app/~~RANDOM/PACKAGE-RANDOM/base.apk", where the first folder may be missing. */
static string_id package_of_app(struct trace *t, struct str path)
{
    path = str_skip(path, strlen("/data/app/"));
    if (str_starts(path, STR("~~")))
        path = str_skip(path, str_find(path, '/') < path.n ? str_find(path, '/') + 1 : path.n);
    size_t slash = str_find(path, '/'), minus = str_find(path, '-');
    if (minus < slash && slash < path.n)
        return trace_intern(t, str_from_to(path, 0, minus));
    return unreadable;
}

static string_id read_path(struct trace *t, struct str path)
{
    const struct str unpacked = STR("dex extracted in memory from ");
    for (size_t i = 0; i < sizeof system_apps / sizeof system_apps[0]; i++) {
        struct str text = str_from(system_apps[i].text);
        if (system_apps[i].anywhere ? find_text(path, text).p != NULL : str_starts(path, text))
            return trace_intern_c(t, system_apps[i].package);
    }
    struct str file = find_text(path, unpacked);
    if (file.p)
        path = str_skip(file, unpacked.n);
    return str_starts(path, STR("/data/app/")) ? package_of_app(t, path) : NULL_STRING;
}

/* The package whose code is in a file; NULL_STRING where its path does not tell. Each path is read
 * once: `known` has what it tells. */
static string_id package_of_path(struct trace *t, struct map *known, string_id path)
{
    bool is_new;
    uint32_t *package = map_insert(known, path, &is_new);
    if (is_new)
        *package = read_path(t, string_pool_get(&t->strings, path));
    if (*package != unreadable)
        return *package;
    stats_count(t, STAT_deobfuscate_location_parse_error);
    return NULL_STRING;
}

/* The packages of processes, as their uids tell. */
struct uid_packages {
    struct map by_uid;
};

static struct uid_packages read_packages(const struct trace *t)
{
    struct uid_packages p = {0};
    const struct table *list = &t->tables.package_list;
    for (uint32_t i = 0; i < list->rows; i++) {
        bool is_new;
        int64_t uid = table_i64(list, package_list_col_uid)[i];
        uint32_t *name = map_insert(&p.by_uid, (uint64_t)uid, &is_new);
        if (is_new)
            *name = column_str(&list->columns[package_list_col_package_name], i);
    }
    return p;
}

static string_id package_of_process(const struct trace *t, const struct uid_packages *p,
                                    uint32_t upid)
{
    uint32_t uid = upid == NULL_U32
                       ? NULL_U32
                       : table_u32(&t->tables.process, process_col_android_appid)[upid];
    const uint32_t *name = uid == NULL_U32 ? NULL : map_find(&p->by_uid, uid);
    return name ? *name : NULL_STRING;
}

/* Frames by name, and whose code they are. */
struct java_frames {
    struct map newest;       /* name of a frame that may be a method -> frame + 1 */
    VEC(uint32_t) next;      /* by frame: frame + 1 */
    VEC(string_id) packages; /* by frame; NULL_STRING: not known */
    string_id memfd;         /* stands for the package of code from memory: any */
};

static void java_frames_release(struct java_frames *j)
{
    map_release(&j->newest);
    vec_release(&j->next);
    vec_release(&j->packages);
}

static struct java_frames index_frames(struct trace *t, struct map *paths)
{
    struct java_frames j = {.memfd = trace_intern(t, STR("memfd"))};
    const struct table *frames = &t->tables.stack_profile_frame;
    const struct table *maps = &t->tables.stack_profile_mapping;
    for (uint32_t i = 0; i < frames->rows; i++) {
        string_id name = column_str(&frames->columns[stack_profile_frame_col_name], i);
        struct str text = string_pool_get(&t->strings, name);
        *vec_push(&j.next) = 0;
        *vec_push(&j.packages) = NULL_STRING;
        if (str_find(text, '.') == text.n)
            continue;
        uint32_t m = table_u32(frames, stack_profile_frame_col_mapping)[i];
        string_id path = column_str(&maps->columns[stack_profile_mapping_col_name], m);
        string_id package = package_of_path(t, paths, path);
        bool memfd = str_starts(string_pool_get(&t->strings, path), STR("/memfd:"));
        vec_last(&j.packages) = !package && memfd ? j.memfd : package;
        bool is_new;
        uint32_t *newest = map_insert(&j.newest, name, &is_new);
        vec_last(&j.next) = *newest;
        *newest = i + 1;
    }
    return j;
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
                           const struct uid_packages *packages)
{
    const struct table *allocations = &t->tables.heap_profile_allocation;
    const struct table *samples = &t->tables.profiler_sample;
    const struct table *tasks = &t->tables.profiler_task_context;
    uint8_t *seen = alloc_array((size_t)t->tables.stack_profile_callsite.rows + 1, 1);
    for (uint32_t i = 0; i < allocations->rows; i++)
        guess_stack(t, j, seen, table_u32(allocations, heap_profile_allocation_col_callsite_id)[i],
                    package_of_process(t, packages,
                                       table_u32(allocations,
                                                 heap_profile_allocation_col_upid)[i]));
    for (uint32_t i = 0; i < samples->rows; i++) {
        uint32_t task = table_u32(samples, profiler_sample_col_task_context_id)[i];
        uint32_t upid =
            task == NULL_U32 ? NULL_U32 : table_u32(tasks, profiler_task_context_col_upid)[task];
        guess_stack(t, j, seen, table_u32(samples, profiler_sample_col_callsite_id)[i],
                    package_of_process(t, packages, upid));
    }
    free(seen);
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

static struct str join(char *buffer, struct str class_name, struct str member)
{
    int n = snprintf(buffer, NAME_BYTES, "%.*s.%.*s", (int)(class_name.n & 0xffff), class_name.p,
                     (int)(member.n & 0xffff), member.p);
    return (struct str){buffer, n < 0 ? 0 : n < NAME_BYTES ? (size_t)n : NAME_BYTES - 1};
}

/* Class or member. */
struct names {
    struct str obfuscated, readable;
};

static struct names class_names(struct pb_reader r)
{
    struct names n = {STR(""), STR("")};
    struct pb_field f;
    while (pb_next(&r, &f)) {
        if (f.number == PB_ObfuscatedClass_obfuscated_name)
            n.obfuscated = pb_str(&f);
        else if (f.number == PB_ObfuscatedClass_deobfuscated_name)
            n.readable = pb_str(&f);
    }
    return n;
}

/* The member's full names; those that were moved into the class have their own class in front. */
static struct names member_names(struct names class_, struct pb_reader r, char *obfuscated,
                                 char *readable)
{
    struct names n = {STR(""), STR("")};
    struct pb_field f;
    while (pb_next(&r, &f)) {
        if (f.number == PB_ObfuscatedMember_obfuscated_name)
            n.obfuscated = pb_str(&f);
        else if (f.number == PB_ObfuscatedMember_deobfuscated_name)
            n.readable = pb_str(&f);
    }
    bool qualified = str_find(n.readable, '.') < n.readable.n;
    return (struct names){join(obfuscated, class_.obfuscated, n.obfuscated),
                          qualified ? n.readable : join(readable, class_.readable, n.readable)};
}

static void read_method(struct trace *t, const struct java_frames *j, struct methods *m,
                        struct names class_, struct pb_reader r)
{
    char obfuscated[NAME_BYTES], readable[NAME_BYTES];
    struct names n = member_names(class_, r, obfuscated, readable);
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
    const struct str *x = a, *y = b;
    int order = memcmp(x->p, y->p, x->n < y->n ? x->n : y->n);
    return order ? order : (x->n > y->n) - (x->n < y->n);
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

static string_id mapping_package(struct trace *t, struct bytes mapping)
{
    struct pb_reader r = bytes_reader(mapping);
    struct pb_field f;
    string_id package = NULL_STRING;
    while (pb_next(&r, &f))
        if (f.number == PB_DeobfuscationMapping_package_name)
            package = f.value ? trace_intern(t, pb_str(&f)) : NULL_STRING;
    return package;
}

static void deobfuscate_frames(struct trace *t, const struct java_frames *j, struct bytes mapping,
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
        struct names class_ = class_names(members);
        while (pb_next(&members, &g))
            if (g.number == PB_ObfuscatedClass_obfuscated_methods)
                read_method(t, j, &m, class_, pb_message(&g));
    }
    rename_frames(t, j, &m, package, work);
    map_release(&m.names);
    vec_release(&m.groups);
    vec_release(&m.items);
}

/* "java.lang.Class<NAME[][]>": how a class is named in a heap dump around the name that a mapping
 * has. */
struct class_form {
    struct str name;
    size_t arrays;
    bool is_class;
};

static struct class_form read_class_form(struct str name)
{
    const struct str open = STR("java.lang.Class<");
    struct class_form c = {.name = name};
    c.is_class = str_starts(name, open) && str_ends(name, STR(">"));
    if (c.is_class)
        c.name = str_from_to(name, open.n, name.n - 1);
    while (str_ends(c.name, STR("[]"))) {
        c.arrays++;
        c.name.n -= 2;
    }
    return c;
}

static string_id write_class_form(struct trace *t, const struct class_form *c, string_id readable)
{
    struct str name = string_pool_get(&t->strings, readable);
    const struct str open = STR("java.lang.Class<");
    if (!c->is_class && !c->arrays)
        return readable;
    size_t n = 0;
    char *text = alloc_array(name.n + 2 * c->arrays + open.n + 1, 1);
    if (c->is_class) {
        memcpy(text, open.p, open.n);
        n = open.n;
    }
    memcpy(text + n, name.p, name.n);
    n += name.n;
    for (size_t i = 0; i < c->arrays; i++) {
        text[n++] = '[';
        text[n++] = ']';
    }
    if (c->is_class)
        text[n++] = '>';
    string_id id = trace_intern(t, (struct str){text, n});
    free(text);
    return id;
}

/* What mappings tell of heap dumps. */
struct heap_names {
    struct map classes; /* package << 32 | name -> readable name */
    struct map fields;  /* name -> readable name */
};

static void read_heap_names(struct trace *t, struct heap_names *h, struct bytes mapping)
{
    struct pb_reader classes = bytes_reader(mapping);
    struct pb_field f, g;
    string_id package = mapping_package(t, mapping);
    while (pb_next(&classes, &f)) {
        if (f.number != PB_DeobfuscationMapping_obfuscated_classes)
            continue;
        struct pb_reader members = pb_message(&f);
        struct names class_ = class_names(members);
        string_id name = trace_intern(t, class_.obfuscated);
        string_id readable = trace_intern(t, class_.readable);
        map_set(&h->classes, name, readable);
        map_set(&h->classes, (uint64_t)package << 32 | name, readable);
        while (pb_next(&members, &g)) {
            if (g.number != PB_ObfuscatedClass_obfuscated_members)
                continue;
            char obfuscated[NAME_BYTES], text[NAME_BYTES];
            struct names n = member_names(class_, pb_message(&g), obfuscated, text);
            string_id field = string_pool_lookup(&t->strings, n.obfuscated);
            if (field)
                map_set(&h->fields, field, trace_intern(t, n.readable));
        }
    }
}

/* The package of each class of the heap dumps: as its file tells, else its process. */
static string_id *class_packages(struct trace *t, struct map *paths,
                                 const struct uid_packages *packages)
{
    const struct table *classes = &t->tables.heap_graph_class;
    const struct table *objects = &t->tables.heap_graph_object;
    string_id *of = alloc_array((size_t)classes->rows + 1, sizeof *of);
    for (uint32_t i = 0; i < classes->rows; i++) {
        string_id file = column_str(&classes->columns[heap_graph_class_col_location], i);
        if (file)
            of[i] = package_of_path(t, paths, file);
    }
    for (uint32_t i = 0; i < objects->rows; i++) {
        uint32_t type = table_u32(objects, heap_graph_object_col_type_id)[i];
        if (type < classes->rows && !of[type])
            of[type] =
                package_of_process(t, packages, table_u32(objects, heap_graph_object_col_upid)[i]);
    }
    return of;
}

static void deobfuscate_heap(struct trace *t, const struct heap_names *h, struct map *paths,
                             const struct uid_packages *packages)
{
    struct table *classes = &t->tables.heap_graph_class;
    struct table *references = &t->tables.heap_graph_reference;
    string_id *of = class_packages(t, paths, packages);
    for (uint32_t i = 0; i < classes->rows; i++) {
        string_id full = column_str(&classes->columns[heap_graph_class_col_name], i);
        struct class_form form = read_class_form(string_pool_get(&t->strings, full));
        string_id name = string_pool_lookup(&t->strings, form.name);
        const uint32_t *to = map_find(&h->classes, (uint64_t)of[i] << 32 | name);
        if (name && to)
            table_set_str(classes, heap_graph_class_col_deobfuscated_name, i,
                          write_class_form(t, &form, *to));
    }
    for (uint32_t i = 0; i < references->rows; i++) {
        string_id name = column_str(&references->columns[heap_graph_reference_col_field_name], i);
        const uint32_t *to = map_find(&h->fields, name);
        if (to)
            table_set_str(references, heap_graph_reference_col_deobfuscated_field_name, i, *to);
    }
    free(of);
}

string_id deobfuscated_class(struct import *im, string_id name)
{
    struct deobfuscation_state *s = import_state(im, &deobfuscation_kind);
    for (size_t i = 0; i < s->mappings.count && !s->classes_known; i++) {
        struct pb_reader classes = bytes_reader(s->mappings.items[i]);
        struct pb_field f;
        while (pb_next(&classes, &f)) {
            if (f.number != PB_DeobfuscationMapping_obfuscated_classes)
                continue;
            struct names n = class_names(pb_message(&f));
            if (n.obfuscated.n && n.readable.n)
                map_set(&s->classes, trace_intern(im->trace, n.obfuscated),
                        trace_intern(im->trace, n.readable));
        }
    }
    s->classes_known = true;
    const uint32_t *to = map_find(&s->classes, name);
    return to ? *to : NULL_STRING;
}

void deobfuscation_finish(struct import *im)
{
    struct deobfuscation_state *s = import_state(im, &deobfuscation_kind);
    struct trace *t = im->trace;
    struct map paths = {0}; /* by path: package */
    uint64_t work = (uint64_t)im->input.n * WORK_PER_BYTE + WORK_MIN;
    /* Also counts paths that cannot be read. */
    struct java_frames frames = index_frames(t, &paths);
    struct uid_packages packages = read_packages(t);
    struct heap_names heap = {0};
    if (s->mappings.count)
        guess_packages(t, &frames, &packages);
    for (size_t i = 0; i < s->mappings.count; i++) {
        deobfuscate_frames(t, &frames, s->mappings.items[i], &work);
        if (t->tables.heap_graph_class.rows)
            read_heap_names(t, &heap, s->mappings.items[i]);
    }
    if (heap.classes.count)
        deobfuscate_heap(t, &heap, &paths, &packages);
    map_release(&heap.classes);
    map_release(&heap.fields);
    map_release(&paths);
    map_release(&packages.by_uid);
    java_frames_release(&frames);
}

const struct packet_module deobfuscation_packets[] = {
    {PB_TracePacket_deobfuscation_mapping, .tokenize = deobfuscation_mapping_tokenize},
    {0},
};
