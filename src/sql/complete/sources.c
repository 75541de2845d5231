#include "sql/complete/sources.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "sql/tokens/keywords.h"
#include "sql/tokens/lexer.h"

struct source_reading {
    struct sources *out;
    const struct schema *schema;
    struct token_list tokens; /* without blanks */
    VEC(uint32_t) close;      /* of each bracket its partner; of an open one the end */
    VEC(uint32_t) group;      /* of each token the bracket around it, + 1; 0: none */
};

static void release_source(struct source *s)
{
    for (size_t i = 0; i < s->columns.count; i++)
        free(s->columns.items[i]);
    vec_release(&s->columns);
    free(s->name);
}

void sources_release(struct sources *s)
{
    for (size_t i = 0; i < s->used.count; i++)
        release_source(&s->used.items[i]);
    for (size_t i = 0; i < s->ctes.count; i++)
        release_source(&s->ctes.items[i]);
    vec_release(&s->used);
    vec_release(&s->ctes);
}

static bool is_called(const struct source *s, struct str name)
{
    return str_eq_any_case(str_from(s->name), name);
}

const struct source *sources_find(const struct sources *s, struct str name)
{
    for (size_t i = 0; i < s->used.count; i++)
        if (is_called(&s->used.items[i], name))
            return &s->used.items[i];
    for (size_t i = 0; i < s->ctes.count; i++)
        if (is_called(&s->ctes.items[i], name))
            return &s->ctes.items[i];
    return NULL;
}

static struct token token(const struct source_reading *r, size_t i)
{
    static const struct token none = {.kind = TOKEN_END, .text = {"", 0}};
    return i < r->tokens.v.count ? r->tokens.v.items[i] : none;
}

static void read_tokens(struct source_reading *r, const struct sql_source *source)
{
    struct token_list list = {0};
    VEC(uint32_t) open = {0};
    lexer_statement(source, 0, &list);
    for (size_t i = 0; i < list.v.count; i++)
        if (!token_is_blank(list.v.items[i]))
            *vec_push(&r->tokens.v) = list.v.items[i];
    uint32_t n = (uint32_t)r->tokens.v.count;
    for (uint32_t i = 0; i < n; i++) {
        struct token t = token(r, i);
        *vec_push(&r->close) = n;
        if (token_is(t, ')') && open.count > 0)
            r->close.items[open.items[--open.count]] = i;
        *vec_push(&r->group) = open.count ? open.items[open.count - 1] + 1 : 0;
        if (token_is(t, '('))
            *vec_push(&open) = i;
    }
    vec_release(&open);
    vec_release(&list.v);
}

static bool is_name(struct token t)
{
    return token_is_name(t) && !(t.kind == TOKEN_WORD && sql_is_keyword(t.text));
}

static void add_column(struct source *s, struct str name)
{
    *vec_push(&s->columns) = alloc_copy(name.p, name.n);
}

/* The columns of a source, for SELECT *. */
static void copy_columns(struct source *to, const struct schema *schema, const struct source *from)
{
    for (uint32_t i = 0; from->table && i < from->table->column_count; i++)
        add_column(to, str_from(schema_columns(schema, from->table)[i].name));
    for (size_t i = 0; i < from->columns.count; i++)
        add_column(to, str_from(from->columns.items[i]));
}

/* What `name` is: of WITH, or a table. */
static void resolve(const struct source_reading *r, struct str name, struct source *out)
{
    for (size_t i = 0; i < r->out->ctes.count; i++)
        if (is_called(&r->out->ctes.items[i], name)) {
            copy_columns(out, r->schema, &r->out->ctes.items[i]);
            return;
        }
    out->table = r->schema ? schema_table(r->schema, name) : NULL;
}

/* All columns of what FROM names in the group `from` to `end`, for SELECT *. */
static void add_star(const struct source_reading *r, uint32_t from, uint32_t end,
                     struct source *out)
{
    for (uint32_t i = from; i < end; i++) {
        struct token t = token(r, i);
        if (token_is(t, '('))
            i = r->close.items[i];
        if ((!token_is_word(t, "FROM") && !token_is_word(t, "JOIN")) || !is_name(token(r, i + 1)))
            continue;
        struct source read = {0};
        resolve(r, token_name(token(r, i + 1)), &read);
        copy_columns(out, r->schema, &read);
        release_source(&read);
    }
}

/* The names of the columns of the SELECT that begins at `from`: what AS says, else the last name.
 */
static void read_select(const struct source_reading *r, uint32_t from, uint32_t end,
                        struct source *out)
{
    struct token last = {.kind = TOKEN_END};
    if (!token_is_word(token(r, from), "SELECT"))
        return;
    for (uint32_t i = from + 1; i <= end; i++) {
        struct token t = token(r, i);
        bool ends = i == end || token_is(t, ',') || token_is_word(t, "FROM");
        if (ends && token_is(last, '*'))
            add_star(r, i, end, out);
        else if (ends && is_name(last))
            add_column(out, token_name(last));
        if (i == end || token_is_word(t, "FROM"))
            return;
        last = t;
        if (token_is(t, '('))
            i = r->close.items[i];
    }
}

/* name [(columns)] AS [NOT MATERIALIZED] ( SELECT ... ), and so on behind commas. */
static void read_with(struct source_reading *r, uint32_t i)
{
    i += token_is_word(token(r, i), "RECURSIVE");
    while (is_name(token(r, i))) {
        struct source cte = {.name =
                                 alloc_copy(token_name(token(r, i)).p, token_name(token(r, i)).n)};
        i++;
        if (token_is(token(r, i), '(')) {
            for (uint32_t k = i + 1; k < r->close.items[i]; k++)
                if (is_name(token(r, k)))
                    add_column(&cte, token_name(token(r, k)));
            i = r->close.items[i] + 1;
        }
        while (token_is_word(token(r, i), "AS") || token_is_word(token(r, i), "NOT") ||
               token_is_word(token(r, i), "MATERIALIZED"))
            i++;
        if (!token_is(token(r, i), '(')) {
            *vec_push(&r->out->ctes) = cte;
            return;
        }
        if (cte.columns.count == 0)
            read_select(r, i + 1, r->close.items[i], &cte);
        *vec_push(&r->out->ctes) = cte;
        i = r->close.items[i] + 1;
        if (!token_is(token(r, i), ','))
            return;
        i++;
    }
}

static bool ends_source(struct token t)
{
    return t.kind == TOKEN_END || token_is(t, ',') || token_is(t, ')') || token_is(t, ';');
}

/* A table, function or subquery with its alias, at token `i`; returns the token behind it. */
static uint32_t read_source(struct source_reading *r, uint32_t i)
{
    struct source s = {0};
    struct str name = {"", 0};
    uint32_t start = i;
    if (token_is(token(r, i), '(')) {
        read_select(r, i + 1, r->close.items[i], &s);
        i = r->close.items[i] + 1;
    } else if (is_name(token(r, i))) {
        name = token_name(token(r, i));
        resolve(r, name, &s);
        i++;
        i += token_is(token(r, i), '!');
        if (token_is(token(r, i), '('))
            i = r->close.items[i] + 1;
    }
    if (i == start)
        return i + 1;
    bool as = token_is_word(token(r, i), "AS");
    if ((as || !ends_source(token(r, i))) && is_name(token(r, i + as))) {
        name = token_name(token(r, i + as));
        i += as + 1;
    }
    s.name = alloc_copy(name.p, name.n);
    *vec_push(&r->out->used) = s;
    return i;
}

/* The sources of one SELECT: of tokens whose bracket is `group`. */
static void read_group(struct source_reading *r, uint32_t group)
{
    for (uint32_t i = 0; i < r->tokens.v.count;) {
        struct token t = token(r, i);
        bool here = r->group.items[i] == group;
        i++;
        if (!here || (!token_is_word(t, "FROM") && !token_is_word(t, "JOIN")))
            continue;
        i = read_source(r, i);
        while (token_is(token(r, i), ',') && i < r->tokens.v.count)
            i = read_source(r, i + 1);
    }
}

void sources_read(struct sources *out, const struct schema *schema, struct str statement,
                  size_t caret)
{
    struct sql_source source = {.name = "query", .text = statement};
    struct source_reading r = {.out = out, .schema = schema};
    read_tokens(&r, &source);
    for (uint32_t i = 0; i < r.tokens.v.count; i++)
        if (token_is_word(token(&r, i), "WITH"))
            read_with(&r, i + 1);
    uint32_t at = 0; /* the last token before the caret */
    while (at < r.tokens.v.count && token_at(token(&r, at)) < caret)
        at++;
    uint32_t group = 0;
    if (at > 0)
        group = token_is(token(&r, at - 1), '(') ? at : r.group.items[at - 1];
    if (at > 0 && token_is(token(&r, at - 1), ')'))
        group = r.group.items[at - 1];
    for (;;) { /* brackets that hold no SELECT lie in that of the one around them */
        read_group(&r, group);
        if (group == 0)
            break;
        group = r.group.items[group - 1];
    }
    vec_release(&r.tokens.v);
    vec_release(&r.close);
    vec_release(&r.group);
}
