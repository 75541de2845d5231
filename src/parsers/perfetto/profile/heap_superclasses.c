#include "parsers/perfetto/profile/heap_superclasses.h"

#include "core/trace/trace.h"

void heap_superclasses_release(struct heap_superclasses *s)
{
    map_release(&s->by_class);
    vec_release(&s->keys);
}

static uint64_t class_key(string_id name, string_id location)
{
    return (uint64_t)name << 32 | location;
}

static uint64_t key_of_row(const struct table *classes, uint32_t row)
{
    return class_key(column_str(&classes->columns[heap_graph_class_col_name], row),
                     column_str(&classes->columns[heap_graph_class_col_location], row));
}

struct class_name {
    struct str plain;
    bool is_static, is_array;
};

/* "java.lang.Class<Name>" is called Name, and so is Name[][]. */
static struct class_name class_name_of(struct str name)
{
    struct str prefix = STR("java.lang.Class<");
    struct class_name c = {.plain = name};
    c.is_static = str_starts(name, prefix) && name.p[name.n - 1] == '>';
    if (c.is_static)
        c.plain = str_from_to(name, prefix.n, name.n - 1);
    while (c.plain.n >= 2 && str_eq(str_skip(c.plain, c.plain.n - 2), STR("[]"))) {
        c.plain.n -= 2;
        c.is_array = true;
    }
    return c;
}

static void read_object(struct trace *t, struct heap_superclasses *s, uint32_t object,
                        const struct graph_type *type, string_id field)
{
    const struct table *classes = &t->tables.heap_graph_class;
    const struct column *locations = &classes->columns[heap_graph_class_col_location];
    struct class_name name = class_name_of(string_pool_get(&t->strings, type->name));
    if (!name.is_static || name.is_array)
        return;
    uint32_t super = heap_graph_follow(t, object, field);
    if (super == NULL_U32)
        return;
    uint32_t row = table_u32(&t->tables.heap_graph_object, heap_graph_object_col_type_id)[super];
    string_id super_name = column_str(&classes->columns[heap_graph_class_col_name], row);
    struct class_name plain = class_name_of(string_pool_get(&t->strings, super_name));
    map_set(&s->by_class, class_key(trace_intern(t, name.plain), column_str(locations, type->row)),
            (uint32_t)s->keys.count);
    *vec_push(&s->keys) = class_key(trace_intern(t, plain.plain), column_str(locations, row));
}

void heap_superclasses_read(struct trace *t, struct heap_superclasses *s,
                            const struct heap_graph *g)
{
    string_id field = trace_intern(t, STR("java.lang.Class.superClass"));
    for (size_t i = 0; i < g->objects.count; i++) {
        const struct graph_object *object = &g->objects.items[i];
        if (object->type != NULL_U32)
            read_object(t, s, object->row, &g->types.items[object->type], field);
    }
}

void heap_superclasses_write(struct trace *t, const struct heap_superclasses *s)
{
    struct table *classes = &t->tables.heap_graph_class;
    struct map rows = {0};
    for (uint32_t i = 0; s->by_class.count && i < classes->rows; i++)
        map_set(&rows, key_of_row(classes, i), i);
    for (uint32_t i = 0; rows.count && i < classes->rows; i++) {
        const uint32_t *index = map_find(&s->by_class, key_of_row(classes, i));
        const uint32_t *super = index ? map_find(&rows, s->keys.items[*index]) : NULL;
        if (super)
            table_set_u32(classes, heap_graph_class_col_superclass_id, i, *super);
    }
    map_release(&rows);
}
