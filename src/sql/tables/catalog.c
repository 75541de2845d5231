#include "sql/tables/catalog.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "sql/tables/sql_table.h"

static struct catalog_entry *entry_of(const struct catalog *c, const char *name)
{
    for (size_t i = 0; i < c->v.count; i++)
        if (compare_any_case(c->v.items[i].name, name) == 0)
            return &c->v.items[i];
    return NULL;
}

struct sql_table *catalog_find(const struct catalog *c, const char *name)
{
    const struct catalog_entry *e = entry_of(c, name);
    return e ? e->table : NULL;
}

const char *catalog_definition(const struct catalog *c, const char *name)
{
    const struct catalog_entry *e = entry_of(c, name);
    return e ? e->definition : NULL;
}

void catalog_add(struct catalog *c, const char *name, struct sql_table *t, char *definition)
{
    *vec_push(&c->v) = (struct catalog_entry){alloc_copy(name, strlen(name)), t, definition};
}

static void release_entry(struct catalog_entry e)
{
    free(e.name);
    free(e.definition);
    sql_table_unref(e.table);
}

void catalog_remove(struct catalog *c, const char *name)
{
    struct catalog_entry *e = entry_of(c, name);
    if (!e)
        return;
    struct catalog_entry removed = *e;
    *e = vec_last(&c->v);
    c->v.count--;
    release_entry(removed);
}

void catalog_release(struct catalog *c)
{
    for (size_t i = 0; i < c->v.count; i++)
        release_entry(c->v.items[i]);
    vec_release(&c->v);
}
