/* __intrinsic_stdlib_objects: what the modules define, as their texts and comments say, and the
 * views of the schema as one more module. */
#include <string.h>

#include "sql/engine/family.h"
#include "sql/engine/session_state.h"
#include "sql/engine/table_builder.h"
#include "sql/engine/table_function.h"
#include "sql/export/json_text.h"
#include "sql/language/documentation.h"
#include "sql/language/language.h"
#include "sql/language/stdlib_modules.h"
#include "sql/tokens/sql_type.h"

enum { SHORT_DESCRIPTION = 160 };

static const struct table_function_column columns[] = {
    {"id", DECLARED_LONG},
    {"package", DECLARED_STRING},
    {"module", DECLARED_STRING},
    {"name", DECLARED_STRING},
    {"qualified_name", DECLARED_STRING},
    {"object_type", DECLARED_STRING},
    {"exposed", DECLARED_LONG},
    {"short_description", DECLARED_STRING},
    {"summary", DECLARED_STRING},
    {"description", DECLARED_STRING},
    {"return_type", DECLARED_STRING},
    {"return_description", DECLARED_STRING},
    {"args", DECLARED_STRING},
    {"cols", DECLARED_STRING},
    {0},
};

/* A module, or an object that it defines. */
struct listed {
    struct str package, module;
    const struct documented_object *object;
};

struct listing {
    struct table_builder *b;
    int64_t rows;
};

static void append(sqlite3_str *out, struct str s)
{
    sqlite3_str_append(out, s.p, (int)s.n);
}

static char *entries_json(const struct documented_entries *e)
{
    sqlite3_str *out = sqlite3_str_new(NULL);
    sqlite3_str_appendchar(out, 1, '[');
    for (size_t i = 0; i < e->v.count; i++) {
        const struct documented_entry *entry = &e->v.items[i];
        sqlite3_str_appendall(out, i ? ",{\"name\":" : "{\"name\":");
        json_append_text(out, entry->name);
        sqlite3_str_appendall(out, ",\"type\":");
        json_append_text(out, str_from(entry->type ? entry->type : ""));
        sqlite3_str_appendall(out, ",\"description\":");
        json_append_text(out, str_from(entry->description ? entry->description : ""));
        sqlite3_str_appendchar(out, 1, '}');
    }
    sqlite3_str_appendchar(out, 1, ']');
    return sqlite3_str_finish(out);
}

static void append_entries(sqlite3_str *out, const char *heading,
                           const struct documented_entries *e)
{
    if (e->v.count > 0)
        sqlite3_str_appendf(out, "\n%s:", heading);
    for (size_t i = 0; i < e->v.count; i++) {
        const struct documented_entry *entry = &e->v.items[i];
        sqlite3_str_appendall(out, "\n- ");
        append(out, entry->name);
        sqlite3_str_appendf(out, " (%s)%s%s", entry->type ? entry->type : "",
                            entry->description ? ": " : "",
                            entry->description ? entry->description : "");
    }
}

/* Names as words, for searches: "time time conversion time from ns". */
static void append_words(sqlite3_str *out, struct str name)
{
    for (size_t i = 0; i < name.n; i++)
        sqlite3_str_appendchar(out, 1, name.p[i] == '.' || name.p[i] == '_' ? ' ' : name.p[i]);
}

static bool is_exposed(const struct documented_object *o)
{
    return !str_starts(o->name, STR("_"));
}

static char *summary(const struct listed *l, const char *qualified_name)
{
    const struct documented_object *o = l->object;
    sqlite3_str *out = sqlite3_str_new(NULL);
    sqlite3_str_appendall(out, "Package: ");
    append(out, l->package);
    sqlite3_str_appendall(out, "\nModule: ");
    append(out, l->module);
    if (o->name.n > 0) {
        sqlite3_str_appendall(out, "\nName: ");
        append(out, o->name);
    }
    sqlite3_str_appendf(out, "\nQualified name: %s\nSearch aliases: ", qualified_name);
    append_words(out, l->package);
    sqlite3_str_appendchar(out, 1, ' ');
    append_words(out, l->module);
    if (o->name.n > 0)
        sqlite3_str_appendchar(out, 1, ' ');
    append_words(out, o->name);
    sqlite3_str_appendf(out, "\nKind: %s %s", is_exposed(o) ? "public" : "internal", o->type);
    if (o->description)
        sqlite3_str_appendf(out, "\nDescription: %s", o->description);
    append_entries(out, "Arguments", &o->args);
    if (o->return_type)
        sqlite3_str_appendf(out, "\nReturns: %s%s%s", o->return_type,
                            o->return_description ? ": " : "",
                            o->return_description ? o->return_description : "");
    append_entries(out, "Columns", &o->columns);
    return sqlite3_str_finish(out);
}

/* At most that many bytes, no character cut. */
static struct str shorten(struct str s)
{
    if (s.n <= SHORT_DESCRIPTION)
        return s;
    size_t n = SHORT_DESCRIPTION;
    while (n > 0 && ((unsigned char)s.p[n] & 0xc0) == 0x80)
        n--;
    return (struct str){s.p, n};
}

static void put_owned(struct table_builder *b, int column, char *text)
{
    table_builder_put_str(b, column, str_from(text ? text : ""));
    sqlite3_free(text);
}

static struct str or_empty(const char *s)
{
    return str_from(s ? s : "");
}

static void put_object(struct listing *l, const struct listed *listed)
{
    struct table_builder *b = l->b;
    const struct documented_object *o = listed->object;
    struct str module = listed->module, name = o->name;
    char *qualified = sqlite3_mprintf("%.*s%s%.*s", (int)module.n, module.p, name.n ? "." : "",
                                      (int)name.n, name.p);
    table_builder_put_int(b, 0, l->rows++);
    table_builder_put_str(b, 1, listed->package);
    table_builder_put_str(b, 2, module);
    table_builder_put_str(b, 3, name.n ? name : module);
    table_builder_put_str(b, 4, str_from(qualified));
    table_builder_put_str(b, 5, str_from(o->type));
    table_builder_put_int(b, 6, is_exposed(o));
    table_builder_put_str(b, 7, shorten(or_empty(o->description)));
    put_owned(b, 8, summary(listed, qualified));
    table_builder_put_str(b, 9, or_empty(o->description));
    table_builder_put_str(b, 10, or_empty(o->return_type));
    table_builder_put_str(b, 11, or_empty(o->return_description));
    put_owned(b, 12, entries_json(&o->args));
    put_owned(b, 13, entries_json(&o->columns));
    table_builder_end_row(b);
    sqlite3_free(qualified);
}

static struct listed put_module(struct listing *l, struct str name)
{
    struct documented_object none = {.name = {"", 0}, .type = "MODULE"};
    struct listed module = {str_from_to(name, 0, str_find(name, '.')), name, &none};
    put_object(l, &module);
    return module;
}

static void put_text(struct listing *l, struct str name, struct str text)
{
    struct listed module = put_module(l, name);
    struct documented_object o;
    for (size_t at = 0; documented_object_next(text, &at, &o); documented_object_release(&o))
        put_object(l, &(struct listed){module.package, module.module, &o});
}

static void put_schema(struct listing *l)
{
    struct listed module = put_module(l, STR("prelude.tables"));
    for (size_t i = 0; i < VIEW_COUNT; i++) {
        if (!view_defs[i].columns)
            continue;
        struct documented_object o = documented_view(&view_defs[i]);
        put_object(l, &(struct listed){module.package, module.module, &o});
        documented_object_release(&o);
    }
}

static struct status fill(struct sql_session *s, sqlite3_value **argv, struct table_builder *b)
{
    (void)argv;
    struct listing l = {.b = b};
    put_schema(&l);
    for (size_t i = 0; i < embedded_module_count; i++) {
        const struct embedded_module *m = &embedded_modules[i];
        if (strncmp(m->name, "prelude.", 8) == 0)
            put_text(&l, str_from(m->name), (struct str){m->text, m->size});
    }
    for (size_t i = 0; i < s->language->modules.count; i++)
        put_text(&l, str_from(s->language->modules.items[i].name),
                 s->language->modules.items[i].text);
    return status_ok_value();
}

static const struct table_function table_functions[] = {
    {.name = "__intrinsic_stdlib_objects", .columns = columns, .fill = fill},
    {0},
};

const struct sql_family stdlib_objects_family = {.table_functions = table_functions};
