#include "parsers/perfetto/profile/deobfuscation.h"

#include "base/hash.h"
#include "parsers/perfetto/packets/import.h"
#include "parsers/perfetto/profile/java_frames.h"
#include "parsers/perfetto/profile/name_mapping.h"
#include "pb_fields.h"

/* Mappings name what any file of the trace has: those that `bundle` makes lie beside it. */
struct all_mappings {
    VEC(struct bytes) list; /* copies in the arena; nothing where the same came again */
    struct map by_hash;     /* hash of the bytes -> index */
    struct arena arena;
    uint64_t size; /* of the files that they are from */
};

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
        struct mapping_names class_ = mapping_class_names(members);
        string_id name = trace_intern(t, class_.obfuscated);
        string_id readable = trace_intern(t, class_.readable);
        map_set(&h->classes, name, readable);
        map_set(&h->classes, (uint64_t)package << 32 | name, readable);
        while (pb_next(&members, &g)) {
            if (g.number != PB_ObfuscatedClass_obfuscated_members)
                continue;
            char obfuscated[MAPPING_NAME_BYTES], text[MAPPING_NAME_BYTES];
            struct mapping_names n = mapping_member_names(class_, pb_message(&g), obfuscated, text);
            string_id field = string_pool_lookup(&t->strings, n.obfuscated);
            if (field)
                map_set(&h->fields, field, trace_intern(t, n.readable));
        }
    }
}

/* The package of each class of the heap dumps: as its file tells, else its process. */
static string_id *class_packages(struct trace *t, struct code_packages *packages)
{
    const struct table *classes = &t->tables.heap_graph_class;
    const struct table *objects = &t->tables.heap_graph_object;
    string_id *of = alloc_array((size_t)classes->rows + 1, sizeof *of);
    for (uint32_t i = 0; i < classes->rows; i++) {
        string_id file = column_str(&classes->columns[heap_graph_class_col_location], i);
        if (!file)
            continue;
        of[i] = code_package_of_path(packages, t, file);
    }
    for (uint32_t i = 0; i < objects->rows; i++) {
        uint32_t type = table_u32(objects, heap_graph_object_col_type_id)[i];
        if (type < classes->rows && !of[type])
            of[type] = code_package_of_process(packages, t,
                                               table_u32(objects, heap_graph_object_col_upid)[i]);
    }
    return of;
}

static void deobfuscate_heap(struct trace *t, const struct heap_names *h,
                             struct code_packages *packages)
{
    struct table *classes = &t->tables.heap_graph_class;
    struct table *references = &t->tables.heap_graph_reference;
    string_id *of = class_packages(t, packages);
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
            struct mapping_names n = mapping_class_names(pb_message(&f));
            if (n.obfuscated.n && n.readable.n)
                map_set(&s->classes, trace_intern(im->trace, n.obfuscated),
                        trace_intern(im->trace, n.readable));
        }
    }
    s->classes_known = true;
    const uint32_t *to = map_find(&s->classes, name);
    return to ? *to : NULL_STRING;
}

/* Sets the columns of deobfuscated names. */
static void apply_mappings(struct trace *t, void *state)
{
    const struct all_mappings *s = state;
    uint64_t work = s->size * WORK_PER_BYTE + WORK_MIN;
    struct code_packages packages;
    struct java_frames frames;
    struct heap_names heap = {0};
    code_packages_init(&packages, t);
    java_frames_init(&frames, t, &packages);
    for (size_t i = 0; i < s->list.count; i++) {
        java_frames_rename(&frames, t, s->list.items[i], &work);
        if (t->tables.heap_graph_class.rows)
            read_heap_names(t, &heap, s->list.items[i]);
    }
    if (heap.classes.count)
        deobfuscate_heap(t, &heap, &packages);
    map_release(&heap.classes);
    map_release(&heap.fields);
    code_packages_release(&packages);
    java_frames_release(&frames);
}

static void all_mappings_release(void *state)
{
    struct all_mappings *s = state;
    vec_release(&s->list);
    map_release(&s->by_hash);
    arena_release(&s->arena);
}

static const struct trace_state_kind all_mappings_kind = {.size = sizeof(struct all_mappings),
                                                          .finish = apply_mappings,
                                                          .release = all_mappings_release};

/* Later ones win, so that one which comes again moves back. */
static void keep_mapping(struct all_mappings *all, struct bytes m)
{
    bool is_new;
    uint32_t *index = map_insert(&all->by_hash, hash_bytes(m.p, m.n, 0), &is_new);
    struct bytes *known = is_new ? NULL : &all->list.items[*index];
    struct bytes kept = {0};
    if (m.n && known && known->n == m.n && memcmp(known->p, m.p, m.n) == 0) {
        kept = *known;
        known->n = 0;
    } else if (m.n) {
        uint8_t *copy = arena_alloc_bytes(&all->arena, m.n);
        memcpy(copy, m.p, m.n);
        kept = (struct bytes){copy, m.n};
    }
    *index = (uint32_t)all->list.count;
    *vec_push(&all->list) = kept;
}

/* Paths of classes from `first` on that should tell a package, and do not. */
static void check_class_paths(struct trace *t, uint32_t first)
{
    const struct table *classes = &t->tables.heap_graph_class;
    struct code_packages packages = {0};
    for (uint32_t i = first; i < classes->rows; i++) {
        string_id file = column_str(&classes->columns[heap_graph_class_col_location], i);
        if (file)
            code_packages_check_path(&packages, t, file);
    }
    code_packages_release(&packages);
}

void deobfuscation_finish(struct import *im)
{
    const struct deobfuscation_state *s = import_state(im, &deobfuscation_kind);
    java_frames_check_paths(im->trace, im->first_frame);
    check_class_paths(im->trace, im->first_class);
    if (s->mappings.count == 0)
        return;
    struct all_mappings *all = trace_state(im->trace, &all_mappings_kind);
    all->size += im->input.n;
    for (size_t i = 0; i < s->mappings.count; i++)
        keep_mapping(all, s->mappings.items[i]);
}

const struct packet_module deobfuscation_packets[] = {
    {PB_TracePacket_deobfuscation_mapping, .tokenize = deobfuscation_mapping_tokenize,
     .felt = PACKET_ALWAYS},
    {0},
};
