#include "tui/query/schema_browser.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "tui/context/state.h"
#include "tui/query/query_pane.h"
#include "tui/query/query_run.h"

enum { TEXT_SIZE = 600 };

/* Values of an object's list: what to do with it, or one of its columns. */
enum { TAKE_SELECT, TAKE_INCLUDE, TAKE_NAME, TAKE_COLUMNS };

static void print_rows(const struct schema_object *o, char *out, size_t size)
{
    out[0] = '\0';
    if (*o->module && o->kind != OBJECT_MODULE)
        snprintf(out, size, "%s", o->module);
    else if (o->rows == 0)
        snprintf(out, size, "empty");
    else if (o->rows > 0)
        snprintf(out, size, "%" PRId64 " rows", o->rows);
}

static void add_object(struct picker *p, const struct schema *s, uint32_t i)
{
    const struct schema_object *o = &s->objects.items[i];
    struct picker_item *item = picker_add(p, i);
    char rows[100];
    print_rows(o, rows, sizeof rows);
    picker_set(p, item, 0, "%s", o->name);
    picker_set(p, item, 1, "%s", object_kind_name(o->kind));
    picker_set(p, item, 2, "%s", rows);
    if (*o->data_source)
        picker_set(p, item, 3, "%s %s. %s", o->rows == 0 ? "needs" : "from", o->data_source,
                   o->description);
    else
        picker_set(p, item, 3, "%s%s%s", o->signature, *o->signature ? " " : "", o->description);
}

static const struct picker_column object_columns[] = {{"name", 32, false},
                                                      {"kind", 8, false},
                                                      {"rows, or module", 16, false},
                                                      {"what it holds", 0, false}};

/* What is there comes first, then what modules have, and of each tables before the rest. */
static int rank_of(const struct schema_object *o)
{
    bool of_module = *o->module && o->kind != OBJECT_MODULE;
    int kind = o->kind <= OBJECT_VIEW ? 0 : o->kind == OBJECT_MODULE ? 3 : 1;
    bool empty = o->rows == 0;
    return kind == 3 ? 5 : kind == 0 ? (of_module ? 2 : empty ? 1 : 0) : of_module ? 4 : 3;
}

enum { RANKS = 6 };

static void open_objects(struct app *a, const char *module)
{
    const struct schema *s = a->query->schema;
    struct picker *p = &a->picker;
    picker_open(p, PICK_OBJECT, object_columns, 4, true);
    snprintf(p->title, sizeof p->title, "%.60s, Enter shows columns", module ? module : "schema");
    for (int rank = 0; rank < RANKS; rank++)
        for (uint32_t i = 0; i < s->objects.count; i++) {
            const struct schema_object *o = &s->objects.items[i];
            bool of_module = module && o->kind != OBJECT_MODULE && strcmp(o->module, module) == 0;
            if (rank_of(o) == rank && (module ? of_module : o->name[0] != '_'))
                add_object(p, s, i);
        }
    picker_filter(p);
    a->overlay = OVERLAY_PICKER;
}

void app_browse_schema(struct app *a)
{
    if (a->query->schema)
        open_objects(a, NULL);
    else
        app_say(a, "the schema is being read");
}

static void add_line(struct picker *p, uint32_t value, const char *name, const char *type,
                     const char *description)
{
    struct picker_item *item = picker_add(p, value);
    picker_set(p, item, 0, "%s", name);
    picker_set(p, item, 1, "%s", type);
    picker_set(p, item, 2, "%s", description);
}

void app_browse_object(struct app *a, uint32_t object)
{
    static const struct picker_column columns[] = {{"name", 40, false},
                                                   {"type", 22, false},
                                                   {"what it says", 0, false}};
    const struct schema *s = a->query->schema;
    const struct schema_object *o = &s->objects.items[object];
    struct picker *p = &a->picker;
    char text[TEXT_SIZE];
    a->query->browsed = object;
    if (o->kind == OBJECT_MODULE) {
        open_objects(a, o->name);
        add_line(p, UINT32_MAX, "INCLUDE", "module", "into the editor");
        picker_filter(p);
        return;
    }
    picker_open(p, PICK_SCHEMA, columns, 3, false);
    snprintf(p->title, sizeof p->title, "%.40s: %.80s", o->name, o->description);
    if (o->kind <= OBJECT_VIEW) {
        snprintf(text, sizeof text, "SELECT * FROM %s", o->name);
        add_line(p, TAKE_SELECT, text, "",
                 *o->module ? "a new query, with its INCLUDE" : "a new query");
    }
    if (*o->module) {
        snprintf(text, sizeof text, "INCLUDE PERFETTO MODULE %s", o->module);
        add_line(p, TAKE_INCLUDE, text, "", "before the text of the query");
    }
    snprintf(text, sizeof text, "%s%s", o->name, o->signature);
    add_line(p, TAKE_NAME, text, o->returns, "the name, into the query");
    for (uint32_t i = 0; i < o->column_count; i++) {
        const struct schema_column *c = &schema_columns(s, o)[i];
        add_line(p, TAKE_COLUMNS + i, c->name, c->type, c->description);
    }
    picker_filter(p);
    a->overlay = OVERLAY_PICKER;
}

static effects insert(struct app *a, const char *text)
{
    struct editor *e = &a->query->editor;
    editor_replace(e, e->caret, e->caret, str_from(text));
    a->query->done = false;
    return query_open(a);
}

/* In front of everything, unless it is there. */
static effects include(struct app *a, const char *module)
{
    struct editor *e = &a->query->editor;
    char line[TEXT_SIZE];
    int n = snprintf(line, sizeof line, "INCLUDE PERFETTO MODULE %s;\n", module);
    struct str text = editor_text(e);
    bool there = text.n > 0 && memmem(text.p, text.n, line, (size_t)n - 1) != NULL;
    if (!there) {
        size_t caret = e->caret + (size_t)n;
        editor_replace(e, 0, 0, str_from(line));
        e->caret = caret;
    }
    a->query->done = false;
    return query_open(a);
}

effects app_include_and_run(struct app *a)
{
    static const char words[] = "INCLUDE PERFETTO MODULE ";
    const char *message = a->query->failed && a->query->message ? a->query->message : "";
    const char *found = strstr(message, words);
    char module[200];
    if (!found || a->query->running) {
        app_say(a, "the message names no module");
        return EFFECT_NONE;
    }
    found += sizeof words - 1;
    snprintf(module, sizeof module, "%.*s", (int)strcspn(found, "; \n"), found);
    effects e = include(a, module);
    query_run(a, false);
    return e;
}

effects app_take_from_schema(struct app *a, uint32_t value)
{
    const struct schema *s = a->query->schema;
    const struct schema_object *o = &s->objects.items[a->query->browsed];
    char text[TEXT_SIZE];
    bool called = *o->signature || o->kind == OBJECT_FUNCTION;
    switch (value) {
    case TAKE_SELECT:
        snprintf(text, sizeof text, "%s%s%sSELECT * FROM %s;",
                 *o->module ? "INCLUDE PERFETTO MODULE " : "", o->module, *o->module ? ";\n" : "",
                 o->name);
        return query_show(a, text);
    case TAKE_INCLUDE:
        return include(a, o->module);
    case UINT32_MAX: /* of a module */
        return include(a, o->name);
    case TAKE_NAME:
        snprintf(text, sizeof text, "%s%s", o->name,
                 o->kind == OBJECT_MACRO ? "!("
                 : called                ? "("
                                         : "");
        return insert(a, text);
    default:
        return insert(a, schema_columns(s, o)[value - TAKE_COLUMNS].name);
    }
}
