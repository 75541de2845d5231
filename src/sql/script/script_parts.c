#include "sql/script/script_parts.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "sql/engine/family.h"
#include "sql/engine/parts.h"
#include "sql/engine/session_state.h"
#include "sql/script/script_plan.h"

enum { NESTED_MAX = 16, PARTS_MAX = 16 };

/* Finding parts. */

struct finder {
    struct sql_session *session;
    const struct token_list *tokens;
    struct script_parts *out;
    const struct sql_node *with; /* the statement's, once its tables are looked at, */
    uint32_t seen;               /* and how many of them were */
    int depth;
    bool works;
    struct script_refusals *refusals; /* or NULL */
};

/* Whether the SELECT has what groups, windows and the first rows of an order have: a look that
 * spares planning most others. */
static bool note_work(void *self, const struct sql_node *n)
{
    struct finder *f = self;
    bool groups = n->kind == SQL_CORE && n->part[CORE_GROUP];
    bool calls = n->kind == SQL_CALL &&
                 (n->part[CALL_OVER] ||
                  vector_is_aggregate(f->tokens->v.items[n->part[CALL_NAME]->span.first].text));
    f->works |= groups || calls || n->kind == SQL_LIMIT;
    return !f->works;
}

/* Where a SELECT stands, and what that asks of it. */
enum place {
    PLACE_FROM,
    PLACE_LIST,   /* behind IN: one column */
    PLACE_STORED, /* all that a plain table gets */
    PLACE_VALUE   /* in a condition: one column, and a row that SQLite has to read all others for */
};

static bool fits(const struct plan *p, enum place place)
{
    uint32_t columns = vector_columns(p);
    for (uint32_t c = 0; c < columns; c++)
        if (vector_column_affinity(p, c) == '?')
            return false;
    if (place == PLACE_FROM || place == PLACE_STORED)
        return columns <= PART_COLUMNS;
    return columns == 1 && (place == PLACE_LIST || !vector_may_stream(p));
}

/* What begins with SELECT, or, where no WITH is around it, with a WITH of its own. */
static bool may_be_part(const struct finder *f, const struct sql_node *n, enum place place)
{
    if (!sql_is(n, SQL_SELECT))
        return false;
    if (n->part[SELECT_WITH])
        return (place == PLACE_FROM || place == PLACE_STORED) && f->seen == 0;
    const struct sql_node *body = n->part[SELECT_BODY];
    return sql_is(sql_is(body, SQL_COMPOUND) ? body->part[0]->part[0] : body, SQL_CORE);
}

void script_refusals_add(struct script_refusals *r, const struct vector_refusal *refusal)
{
    bool known = refusal->construct[0] == 0;
    for (size_t i = 0; !known && i < r->v.count; i++)
        known = strcmp(r->v.items[i].construct, refusal->construct) == 0;
    if (!known)
        *vec_push(&r->v) = *refusal;
}

/* False if the SELECT is none that is taken. One that names columns of the statement around it is
 * not understood without that. */
static bool take(struct finder *f, const struct sql_node *n, enum place place)
{
    struct script_part part = {.span = n->span};
    struct vector_text text = {f->tokens->v.items, n, f->seen > 0 ? f->with : NULL, f->seen};
    f->works = false;
    if (!may_be_part(f, n, place) || f->out->v.count == PARTS_MAX)
        return false;
    sql_visit(n, note_work, f);
    if (!f->works)
        return false;
    struct vector_refusal refusal = {0}, *asked = f->refusals ? &refusal : NULL;
    part.plan = place == PLACE_STORED ? script_plan(f->session, f->tokens, n, true, asked)
                                      : script_plan_part(f->session, &text, asked);
    if (!part.plan && asked)
        script_refusals_add(f->refusals, asked);
    if (part.plan && !fits(part.plan, place)) {
        vector_free(part.plan);
        part.plan = NULL;
    }
    if (part.plan)
        *vec_push(&f->out->v) = part;
    return part.plan;
}

/* The SELECTs of a condition: the list of an IN, or a value. EXISTS ends with the first row. */
static bool find_in_condition(void *self, const struct sql_node *n)
{
    bool in = n->kind == SQL_IN && n->part[1]->kind == SQL_SUBQUERY;
    if (in) {
        sql_visit(n->part[0], find_in_condition, self);
        take(self, n->part[1]->part[0], PLACE_LIST);
    } else if (n->kind == SQL_SUBQUERY) {
        take(self, n->part[0], PLACE_VALUE);
    }
    return !in && n->kind != SQL_SUBQUERY && n->kind != SQL_EXISTS;
}

static void find_in_select(struct finder *f, const struct sql_node *select);

static void find_in_from(struct finder *f, const struct sql_node *from)
{
    for (uint32_t i = 0; i < from->count && f->depth < NESTED_MAX; i++) {
        const struct sql_node *join = from->part[i], *source = join->part[JOIN_SOURCE];
        f->depth++;
        if (join->op == SQL_OP_COMMA)
            ;
        else if (source->kind == SQL_TABLE_JOIN)
            find_in_from(f, source->part[0]);
        else if (source->kind == SQL_TABLE_SELECT && !take(f, source->part[0], PLACE_FROM))
            find_in_select(f, source->part[0]);
        f->depth--;
        sql_visit(join->part[JOIN_ON], find_in_condition, f);
    }
}

static void find_in_core(struct finder *f, const struct sql_node *core)
{
    if (core->kind != SQL_CORE)
        return;
    if (core->part[CORE_FROM])
        find_in_from(f, core->part[CORE_FROM]);
    sql_visit(core->part[CORE_WHERE], find_in_condition, f);
    sql_visit(core->part[CORE_HAVING], find_in_condition, f);
}

/* What stands in its FROM and in conditions, unless a WITH of its own hides what names mean. */
static void find_in_select(struct finder *f, const struct sql_node *select)
{
    if (!sql_is(select, SQL_SELECT) || (select->part[SELECT_WITH] && f->depth > 0))
        return;
    const struct sql_node *body = select->part[SELECT_BODY];
    for (uint32_t i = 0; body->kind == SQL_COMPOUND && i < body->count; i++)
        find_in_core(f, body->part[i]->part[0]);
    find_in_core(f, body);
}

/* False where a table names its columns, or may read itself. */
static bool find_in_with(struct finder *f, const struct sql_node *with)
{
    const struct sql_node *tables = with->part[0];
    f->with = with;
    if (with->op == SQL_OP_RECURSIVE)
        return false;
    for (uint32_t i = 0; i < tables->count; i++) {
        const struct sql_node *t = tables->part[i];
        if (t->kind != SQL_WITH_TABLE || t->part[WITH_TABLE_COLUMNS])
            return false;
        f->depth++;
        if (!take(f, t->part[WITH_TABLE_SELECT], PLACE_FROM))
            find_in_select(f, t->part[WITH_TABLE_SELECT]);
        f->depth--;
        f->seen = i + 1;
    }
    return true;
}

/* The SELECT whose rows a plain table gets; NULL where it is none. */
static const struct sql_node *stored_select(const struct sql_node *root)
{
    const struct sql_node *select = NULL;
    if (sql_is(root, SQL_PLAIN_CREATE) && root->op == SQL_OP_TABLE && !root->part[PLAIN_COLUMNS])
        select = root->part[PLAIN_SELECT];
    else if (sql_is(root, SQL_INSERT) && !root->part[INSERT_WITH])
        select = root->part[INSERT_ROWS];
    return sql_is(select, SQL_SELECT) ? select : NULL;
}

static void find(struct finder *f, const struct sql_node *root)
{
    const struct sql_node *stored = stored_select(root);
    root = stored ? stored : root;
    if (!sql_is(root, SQL_SELECT) || (stored && take(f, root, PLACE_STORED)))
        return;
    if (!root->part[SELECT_WITH] || find_in_with(f, root->part[SELECT_WITH]))
        find_in_select(f, root);
}

/* The statement that reads the parts. */

/* SELECT of a part's columns, by their names. An OFFSET keeps SQLite from making it one with what
 * reads it, as it does with the part itself. */
static struct str reading(struct script_parts *parts, uint32_t k)
{
    const struct plan *p = parts->v.items[k].plan;
    sqlite3_str *out = sqlite3_str_new(NULL);
    for (uint32_t c = 0; c < vector_columns(p); c++)
        sqlite3_str_appendf(out, "%s %c%u AS \"%w\"", c ? "," : "SELECT",
                            vector_column_affinity(p, c), c, vector_column_name(p, c));
    const char *width = vector_columns(p) > NARROW_PART_COLUMNS ? "wide_" : "";
    sqlite3_str_appendf(out, " FROM __intrinsic_%spart(%u) LIMIT -1 OFFSET 0", width,
                        parts->first + k);
    size_t n = (size_t)sqlite3_str_length(out);
    char *text = sqlite3_str_finish(out), *copy = arena_alloc_bytes(&parts->arena, n + 1);
    memcpy(copy, text ? text : "", text ? n + 1 : 1);
    sqlite3_free(text);
    return (struct str){copy, n};
}

static void write_statement(struct script_parts *parts, const struct token_list *tokens)
{
    uint32_t k = 0;
    for (size_t i = 0; i < tokens->v.count;) {
        struct token t = tokens->v.items[i];
        bool begins = k < parts->v.count && parts->v.items[k].span.first == i;
        if (begins) {
            t.kind = TOKEN_WORD;
            t.text = reading(parts, k);
        }
        *vec_push(&parts->tokens.v) = t;
        i = begins ? parts->v.items[k++].span.end : i + 1;
    }
}

/* Compiles the statement that reads the parts, by which it is known which ones SQLite reads: not
 * those that only other parts would have. */
static bool compiles(struct sql_session *s, const struct script_parts *parts)
{
    const struct token_list *tokens = &parts->tokens;
    sqlite3_stmt *stmt = NULL;
    char *text = tokens_text(tokens->v.items, tokens->v.count);
    int rc = session_prepare(s, text, 0, &stmt);
    sqlite3_finalize(stmt);
    free(text);
    return rc == SQLITE_OK;
}

static enum vector_result run_part(struct sql_session *s, struct plan *p, uint32_t number)
{
    struct sql_table *rows;
    enum vector_result result = script_plan_build(s, p, "part", &rows);
    if (result == VECTOR_DONE)
        parts_set(s, number, rows);
    return result;
}

void script_parts_end(struct sql_session *s, struct script_parts *parts)
{
    for (size_t k = 0; k < parts->v.count; k++)
        vector_free(parts->v.items[k].plan);
    vec_release(&parts->v);
    vec_release(&parts->tokens.v);
    arena_release(&parts->arena);
    parts_drop(s, parts->first);
}

bool script_parts_find(struct sql_session *s, const struct token_list *tokens,
                       const struct sql_node *root, struct script_refusals *refusals,
                       struct script_parts *out)
{
    struct finder f = {.session = s, .tokens = tokens, .out = out, .refusals = refusals};
    *out = (struct script_parts){.first = (uint32_t)s->parts.v.count};
    find(&f, root);
    if (out->v.count == 0)
        return false;
    arena_init(&out->arena);
    for (size_t k = 0; k < out->v.count; k++)
        parts_add(s, vector_estimate(out->v.items[k].plan), vector_describe(out->v.items[k].plan));
    write_statement(out, tokens);
    bool found = compiles(s, out);
    if (!found)
        script_parts_end(s, out);
    return found;
}

enum vector_result script_parts_run(struct sql_session *s, struct script_parts *parts)
{
    enum vector_result result = VECTOR_DONE;
    for (uint32_t k = 0; result == VECTOR_DONE && k < parts->v.count; k++)
        if (s->parts.v.items[parts->first + k].is_read)
            result = run_part(s, parts->v.items[k].plan, parts->first + k);
    return result;
}
