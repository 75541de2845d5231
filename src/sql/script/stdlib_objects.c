/* __intrinsic_stdlib_objects, and the same as it was listed before: __intrinsic_stdlib_modules and,
 * for one module, __intrinsic_stdlib_tables, _functions and _macros. */
#include <string.h>

#include "sql/engine/family.h"
#include "sql/engine/session_state.h"
#include "sql/tables/table_builder.h"
#include "sql/engine/table_function.h"
#include "sql/export/json_text.h"
#include "sql/language/documentation.h"
#include "sql/language/language.h"
#include "sql/language/stdlib_modules.h"

enum { SHORT_DESCRIPTION = 160 };

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

static struct str or_empty(const char *s)
{
    return str_from(s ? s : "");
}

static void put_owned(struct table_builder *b, char *text)
{
    table_builder_put(b, cell_str(or_empty(text)));
    sqlite3_free(text);
}

static void put_object(struct listing *l, const struct listed *listed)
{
    struct table_builder *b = l->b;
    const struct documented_object *o = listed->object;
    struct str module = listed->module, name = o->name;
    char *qualified = sqlite3_mprintf("%.*s%s%.*s", (int)module.n, module.p, name.n ? "." : "",
                                      (int)name.n, name.p);
    table_builder_put(b, cell_int(l->rows++), cell_str(listed->package), cell_str(module),
                      cell_str(name.n ? name : module), cell_chars(qualified), cell_chars(o->type),
                      cell_int(is_exposed(o)), cell_str(shorten(or_empty(o->description))));
    put_owned(b, summary(listed, qualified));
    table_builder_put(b, cell_str(or_empty(o->description)), cell_str(or_empty(o->return_type)),
                      cell_str(or_empty(o->return_description)));
    put_owned(b, entries_json(&o->args));
    put_owned(b, entries_json(&o->columns));
    table_builder_end_row(b);
    sqlite3_free(qualified);
}

/* What a visit of the modules does with a module and with each object that it defines. */
typedef void (*put_listed)(struct listing *l, const struct listed *listed);

/* The rest of a call, `only` is NULL for all modules. */
struct visit {
    struct listing l;
    const char *only;
    put_listed put;
    bool found;
};

static bool visits(struct visit *v, struct str name)
{
    bool wanted = !v->only || (name.n == strlen(v->only) && memcmp(name.p, v->only, name.n) == 0);
    v->found = v->found || wanted;
    return wanted;
}

static struct listed visit_module(struct visit *v, struct str name)
{
    static const struct documented_object none = {.name = {"", 0}, .type = "MODULE"};
    struct listed module = {str_from_to(name, 0, str_find(name, '.')), name, &none};
    v->put(&v->l, &module);
    return module;
}

static void visit_text(struct visit *v, struct str name, struct str text)
{
    if (!visits(v, name))
        return;
    struct listed module = visit_module(v, name);
    struct documented_object o;
    for (size_t at = 0; documented_object_next(text, &at, &o); documented_object_release(&o))
        v->put(&v->l, &(struct listed){module.package, module.module, &o});
}

/* The views of the schema are one more module. */
static void visit_schema(struct visit *v)
{
    struct str name = STR("prelude.tables");
    if (!visits(v, name))
        return;
    struct listed module = visit_module(v, name);
    for (size_t i = 0; i < VIEW_COUNT; i++) {
        if (!view_defs[i].columns)
            continue;
        struct documented_object o = documented_view(&view_defs[i]);
        v->put(&v->l, &(struct listed){module.package, module.module, &o});
        documented_object_release(&o);
    }
}

static void visit_all(struct sql_session *s, struct visit *v)
{
    visit_schema(v);
    for (size_t i = 0; i < embedded_module_count; i++) {
        const struct embedded_module *m = &embedded_modules[i];
        if (strncmp(m->name, "prelude.", 8) == 0)
            visit_text(v, str_from(m->name), (struct str){m->text, m->size});
    }
    for (size_t i = 0; i < s->language->modules.count; i++)
        visit_text(v, str_from(s->language->modules.items[i].name),
                   s->language->modules.items[i].text);
}

static struct status fill(struct sql_session *s, sqlite3_value **argv, struct table_builder *b)
{
    (void)argv;
    struct visit v = {.l = {.b = b}, .put = put_object};
    visit_all(s, &v);
    return status_ok_value();
}

static bool is_a(const struct listed *listed, const char *type)
{
    return strcmp(listed->object->type, type) == 0;
}

static void put_module_name(struct listing *l, const struct listed *listed)
{
    if (!is_a(listed, "MODULE"))
        return;
    table_builder_row(l->b, cell_str(listed->module), cell_str(listed->package));
}

static void put_table(struct listing *l, const struct listed *listed)
{
    const struct documented_object *o = listed->object;
    if (!is_a(listed, "TABLE") && !is_a(listed, "VIEW"))
        return;
    table_builder_put(l->b, cell_str(o->name), cell_chars(o->type),
                      cell_str(or_empty(o->description)), cell_int(is_exposed(o)));
    put_owned(l->b, entries_json(&o->columns));
    table_builder_end_row(l->b);
}

static void put_function(struct listing *l, const struct listed *listed)
{
    const struct documented_object *o = listed->object;
    if (!is_a(listed, "FUNCTION") && !is_a(listed, "TABLE_FUNCTION"))
        return;
    table_builder_put(l->b, cell_str(o->name), cell_str(or_empty(o->description)),
                      cell_int(is_exposed(o)), cell_int(is_a(listed, "TABLE_FUNCTION")),
                      cell_str(or_empty(o->return_type)),
                      cell_str(or_empty(o->return_description)));
    put_owned(l->b, entries_json(&o->args));
    put_owned(l->b, entries_json(&o->columns));
    table_builder_end_row(l->b);
}

static void put_macro(struct listing *l, const struct listed *listed)
{
    const struct documented_object *o = listed->object;
    if (!is_a(listed, "MACRO"))
        return;
    table_builder_put(l->b, cell_str(o->name), cell_str(or_empty(o->description)),
                      cell_int(is_exposed(o)), cell_str(or_empty(o->return_type)),
                      cell_str(or_empty(o->return_description)));
    put_owned(l->b, entries_json(&o->args));
    table_builder_end_row(l->b);
}

/* The objects of the module that the argument names; none where it is NULL. */
static struct status fill_of_module(struct sql_session *s, sqlite3_value *argument,
                                    struct table_builder *b, put_listed put)
{
    struct visit v = {.l = {.b = b}, .put = put};
    if (sqlite3_value_type(argument) == SQLITE_NULL)
        return status_ok_value();
    if (sqlite3_value_type(argument) != SQLITE_TEXT)
        return status_error(STATUS_SQL, "the module is a text");
    v.only = (const char *)sqlite3_value_text(argument);
    if (!v.only)
        return status_error(STATUS_SQL, "out of memory");
    visit_all(s, &v);
    return v.found ? status_ok_value() : status_error(STATUS_SQL, "no such module: %s", v.only);
}

static struct status fill_modules(struct sql_session *s, sqlite3_value **argv,
                                  struct table_builder *b)
{
    (void)argv;
    struct visit v = {.l = {.b = b}, .put = put_module_name};
    visit_all(s, &v);
    return status_ok_value();
}

static struct status fill_tables(struct sql_session *s, sqlite3_value **argv,
                                 struct table_builder *b)
{
    return fill_of_module(s, argv[0], b, put_table);
}

static struct status fill_functions(struct sql_session *s, sqlite3_value **argv,
                                    struct table_builder *b)
{
    return fill_of_module(s, argv[0], b, put_function);
}

static struct status fill_macros(struct sql_session *s, sqlite3_value **argv,
                                 struct table_builder *b)
{
    return fill_of_module(s, argv[0], b, put_macro);
}

static const struct table_function table_functions[] = {
    {.name = "__intrinsic_stdlib_objects",
     .columns = "id LONG, package STRING, module STRING, name STRING, qualified_name STRING, "
                "object_type STRING, exposed LONG, short_description STRING, summary STRING, "
                "description STRING, return_type STRING, return_description STRING, args STRING, "
                "cols STRING",
     .fill = fill},
    {.name = "__intrinsic_stdlib_modules",
     .columns = "module STRING, package STRING",
     .fill = fill_modules},
    {.name = "__intrinsic_stdlib_tables",
     .columns = "name STRING, type STRING, description STRING, exposed LONG, cols STRING",
     .parameters = "module",
     .fill = fill_tables},
    {.name = "__intrinsic_stdlib_functions",
     .columns = "name STRING, description STRING, exposed LONG, is_table_function LONG, "
                "return_type STRING, return_description STRING, args STRING, cols STRING",
     .parameters = "module",
     .fill = fill_functions},
    {.name = "__intrinsic_stdlib_macros",
     .columns = "name STRING, description STRING, exposed LONG, return_type STRING, "
                "return_description STRING, args STRING",
     .parameters = "module",
     .fill = fill_macros},
    {0},
};

const struct sql_family stdlib_objects_family = {.table_functions = table_functions};
