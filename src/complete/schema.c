#include "complete/schema.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/alloc.h"
#include "sql/session.h"

const char *object_kind_name(enum object_kind kind)
{
    static const char *const names[] = {
        [OBJECT_TABLE] = "table",
        [OBJECT_VIEW] = "view",
        [OBJECT_TABLE_FUNCTION] = "table function",
        [OBJECT_FUNCTION] = "function",
        [OBJECT_MACRO] = "macro",
        [OBJECT_MODULE] = "module",
    };
    return names[kind];
}

enum { EMPTY_MS = 150 };

/* Kind, name, module, description, signature, returns, data source, rows. What is there already
 * comes first: an object of that name that a module would define is the same. */
static const char objects_sql[] =
    "WITH listed AS (\n"
    "  SELECT 0 AS source, kind, name, '' AS module, description, '' AS signature,\n"
    "    '' AS returns, data_source, row_count\n"
    "  FROM __intrinsic_schema_tables WHERE name NOT GLOB '__intrinsic_*'\n"
    "  UNION ALL\n"
    "  SELECT 1, replace(lower(object_type), '_', ' '), name,\n"
    "    iif(module GLOB 'prelude.*', '', module), description,\n"
    "    iif(args = '[]', '', (SELECT '(' || group_concat((value->>'name') || ' ' ||\n"
    "      (value->>'type'), ', ') || ')' FROM json_each(args))), return_type, '', NULL\n"
    "  FROM __intrinsic_stdlib_objects\n"
    "  UNION ALL\n"
    "  SELECT 2, 'function', name, '', '', CASE narg WHEN -1 THEN '(...)' WHEN 0 THEN '()'\n"
    "    ELSE '(' || substr('a, b, c, d, e, f, g, h', 1, narg * 3 - 2) || ')' END, '', '', NULL\n"
    "  FROM pragma_function_list WHERE name NOT GLOB '__intrinsic_*' AND name GLOB '[a-z_]*'\n"
    ")\n"
    "SELECT kind, name, module, description, signature, returns, data_source, row_count\n"
    "FROM listed ORDER BY name COLLATE NOCASE, source, length(signature) DESC";

/* Object, column, type, description; by object, in the order in which they are declared. */
static const char columns_sql[] =
    "SELECT table_name AS object, name, type, description, 0 AS source, position\n"
    "FROM __intrinsic_schema_columns WHERE table_name NOT GLOB '__intrinsic_*'\n"
    "UNION ALL\n"
    "SELECT o.name, c.value->>'name', c.value->>'type', c.value->>'description', 1, c.key\n"
    "FROM __intrinsic_stdlib_objects AS o, json_each(o.cols) AS c\n"
    "ORDER BY object COLLATE NOCASE, source, position";

struct schema_reading {
    struct schema *schema;
    struct schema_object *object; /* whose columns come */
    int64_t source;               /* of these */
};

static const char *keep(struct schema *s, const struct sql_value *v)
{
    if (v->type != SQL_TEXT || v->s.n == 0)
        return "";
    return arena_copy(&s->arena, v->s).p;
}

static bool find_kind(struct str name, enum object_kind *out)
{
    for (int i = 0; i < OBJECT_KINDS; i++)
        if (str_eq(str_from(object_kind_name((enum object_kind)i)), name)) {
            *out = (enum object_kind)i;
            return true;
        }
    return false;
}

static bool add_object(void *self, int columns, const struct sql_value *v)
{
    struct schema *s = ((struct schema_reading *)self)->schema;
    (void)columns;
    struct schema_object o = {.name = keep(s, &v[1]),
                              .module = keep(s, &v[2]),
                              .description = keep(s, &v[3]),
                              .signature = keep(s, &v[4]),
                              .returns = keep(s, &v[5]),
                              .data_source = keep(s, &v[6]),
                              .rows = v[7].type == SQL_INT ? v[7].i : -1};
    if (v[0].type != SQL_TEXT || !find_kind(v[0].s, &o.kind))
        return true;
    struct schema_object *last = s->objects.count ? &vec_last(&s->objects) : NULL;
    if (last && compare_any_case(last->name, o.name) == 0) {
        if (!*last->description) /* the module's text knows more */
            last->description = o.description;
        return true;
    }
    *vec_push(&s->objects) = o;
    return true;
}

static struct schema_object *find(const struct schema *s, struct str name)
{
    size_t low = 0, high = s->objects.count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        struct schema_object *o = &s->objects.items[middle];
        int d = compare_any_case_n(o->name, name.p, name.n);
        if (d == 0 && o->name[name.n] == '\0')
            return o;
        if (d < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return NULL;
}

static bool add_column(void *self, int columns, const struct sql_value *v)
{
    struct schema_reading *r = self;
    struct schema *s = r->schema;
    (void)columns;
    struct schema_object *o = v[0].type == SQL_TEXT ? find(s, v[0].s) : NULL;
    if (!o)
        return true;
    if (o != r->object) {
        o->first_column = (uint32_t)s->columns.count;
        r->object = o;
        r->source = v[4].i;
    }
    if (v[4].i != r->source) /* the same, as the module has it */
        return true;
    *vec_push(&s->columns) = (struct schema_column){keep(s, &v[1]), keep(s, &v[2]), keep(s, &v[3])};
    o->column_count++;
    return true;
}

/* That this thread has computed: a busy machine's time would make it depend on others. */
static int64_t now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* Which views have no rows: of as many as there is time for, as a query waits for this one. */
static void find_empty(struct schema *s, struct sql_session *session)
{
    int64_t end = now_ms() + EMPTY_MS;
    for (size_t i = 0; i < s->objects.count && now_ms() < end; i++) {
        struct schema_object *o = &s->objects.items[i];
        char sql[200];
        int64_t any = 1;
        if (o->kind > OBJECT_VIEW || *o->module || o->rows >= 0 || strchr(o->name, '"'))
            continue;
        snprintf(sql, sizeof sql, "SELECT EXISTS (SELECT 1 FROM \"%.100s\")", o->name);
        struct status status = sql_session_int(session, sql, &any);
        status_release(&status);
        o->rows = any ? -1 : 0;
    }
}

struct status schema_read(struct sql_session *session, struct schema **out)
{
    struct schema *s = alloc_array(1, sizeof *s);
    arena_init(&s->arena);
    struct schema_reading r = {.schema = s};
    struct sql_sink objects = {.row = add_object, .self = &r};
    struct sql_sink columns = {.row = add_column, .self = &r};
    struct status status = sql_session_run(session, "schema", STR(objects_sql), &objects);
    if (status_ok(status))
        status = sql_session_run(session, "schema", STR(columns_sql), &columns);
    if (status_ok(status)) {
        find_empty(s, session);
        *out = s;
        return status;
    }
    schema_free(s);
    return status;
}

void schema_free(struct schema *s)
{
    if (!s)
        return;
    vec_release(&s->objects);
    vec_release(&s->columns);
    arena_release(&s->arena);
    free(s);
}

const struct schema_object *schema_table(const struct schema *s, struct str name)
{
    const struct schema_object *o = find(s, name);
    return o && o->kind <= OBJECT_TABLE_FUNCTION ? o : NULL;
}
