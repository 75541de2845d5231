#include "complete/durations.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "sql/grammar/parse.h"
#include "sql/tokens/lexer.h"
#include "text/duration_text.h"

enum sort { SORT_OTHER, SORT_TIME, SORT_DURATION };

enum {
    LOOKED_MAX = 10000, /* results that are looked at, of all names */
    NAMES_DEEP = 32,    /* names computed from names: `total AS total` goes on for ever */
};

struct reader {
    struct token_list tokens;             /* of the statement, without blanks */
    VEC(const struct sql_node *) results; /* that have a name */
    uint32_t looked, deep;
};

static void read_tokens(struct reader *r, const struct sql_source *source)
{
    struct token_list all = {0};
    for (size_t at = 0; at < source->text.n;) {
        all.v.count = 0;
        at = lexer_statement(source, at, &all);
        bool first = true;
        for (size_t i = 0; i < all.v.count; i++) {
            if (token_is_blank(all.v.items[i]))
                continue;
            if (first)
                r->tokens.v.count = 0;
            first = false;
            *vec_push(&r->tokens.v) = all.v.items[i];
        }
    }
    vec_release(&all.v);
}

static struct str text_of(const struct reader *r, const struct sql_node *n)
{
    return n && n->span.first < n->span.end ? r->tokens.v.items[n->span.first].text : STR("");
}

static bool is_one_of(struct str name, const char *const *names)
{
    for (; *names; names++)
        if (str_eq_any_case(name, str_from(*names)))
            return true;
    return false;
}

static enum sort sort_of(struct reader *r, const struct sql_node *n);

/* Of a name by itself, else by what the statement computes under it. */
static enum sort sort_of_name(struct reader *r, struct str name)
{
    char text[128];
    snprintf(text, sizeof text, "%.*s", (int)name.n, name.p);
    if (name_is_of_durations(text))
        return SORT_DURATION;
    if (name_is_of_times(text))
        return SORT_TIME;
    if (r->deep == NAMES_DEEP)
        return SORT_OTHER;
    r->deep++;
    enum sort found = SORT_OTHER;
    bool one = true;
    for (size_t i = 0; one && i < r->results.count && r->looked < LOOKED_MAX; i++) {
        const struct sql_node *result = r->results.items[i];
        r->looked++;
        if (!str_eq_any_case(name, text_of(r, result->part[RESULT_NAME])))
            continue;
        enum sort sort = sort_of(r, result->part[RESULT_VALUE]);
        one = sort != SORT_OTHER && (found == SORT_OTHER || found == sort);
        found = one ? sort : SORT_OTHER;
    }
    r->deep--;
    return found;
}

static enum sort sort_of_call(struct reader *r, const struct sql_node *n)
{
    static const char *const same[] = {"sum",         "min",        "max",       "avg",
                                       "total",       "abs",        "ifnull",    "coalesce",
                                       "percentile",  "median",     "lag",       "lead",
                                       "first_value", "last_value", "nth_value", "quantile",
                                       "any_value",   "round",      NULL};
    static const char *const times[] = {"trace_start", "trace_end", NULL};
    struct str name = text_of(r, n->part[CALL_NAME]);
    const struct sql_node *arguments = n->part[CALL_ARGUMENTS];
    if (is_one_of(name, times))
        return SORT_TIME;
    if (!is_one_of(name, same) || !sql_is(arguments, SQL_LIST) || arguments->count == 0)
        return SORT_OTHER;
    enum sort sort = sort_of(r, arguments->part[0]);
    bool added = str_eq_any_case(name, STR("sum")) || str_eq_any_case(name, STR("total"));
    return sort == SORT_TIME && added ? SORT_OTHER : sort;
}

static enum sort sort_of_binary(struct reader *r, const struct sql_node *n)
{
    enum sort a = sort_of(r, n->part[0]), b = sort_of(r, n->part[1]);
    if (n->op == SQL_OP_ADD)
        return a == SORT_DURATION && b == SORT_DURATION ? SORT_DURATION
               : a + b == SORT_TIME + SORT_DURATION && a != SORT_OTHER && b != SORT_OTHER
                   ? SORT_TIME
                   : SORT_OTHER;
    if (n->op == SQL_OP_SUBTRACT)
        return a != SORT_OTHER && a == b              ? SORT_DURATION
               : a == SORT_TIME && b == SORT_DURATION ? SORT_TIME
                                                      : SORT_OTHER;
    bool counted = n->op == SQL_OP_DIVIDE && a == SORT_DURATION && sql_is(n->part[1], SQL_CALL) &&
                   str_eq_any_case(text_of(r, n->part[1]->part[CALL_NAME]), STR("count"));
    return counted ? SORT_DURATION : SORT_OTHER;
}

static enum sort sort_of(struct reader *r, const struct sql_node *n)
{
    if (!n)
        return SORT_OTHER;
    switch (n->kind) {
    case SQL_NAME:
        return sort_of_name(r, text_of(r, n));
    case SQL_COLUMN:
        return sort_of_name(r, text_of(r, n->part[COLUMN_NAME]));
    case SQL_PARENTHESES:
    case SQL_CAST:
        return sort_of(r, n->part[0]);
    case SQL_UNARY:
        return n->op == SQL_OP_SUBTRACT ? sort_of(r, n->part[0]) : SORT_OTHER;
    case SQL_CALL:
        return sort_of_call(r, n);
    case SQL_BINARY:
        return sort_of_binary(r, n);
    default:
        return SORT_OTHER;
    }
}

static bool take_result(void *self, const struct sql_node *n)
{
    struct reader *r = self;
    if (sql_is(n, SQL_RESULT) && n->part[RESULT_NAME])
        *vec_push(&r->results) = n;
    return true;
}

void duration_columns_release(struct duration_columns *d)
{
    for (size_t i = 0; i < d->names.count; i++)
        free(d->names.items[i]);
    vec_release(&d->names);
}

void duration_columns_read(struct duration_columns *out, struct str script)
{
    struct sql_source source = {.name = "query", .text = script};
    struct reader r = {0};
    struct arena arena;
    arena_init(&arena);
    duration_columns_release(out);
    read_tokens(&r, &source);
    sql_visit(sql_parse_statement(&arena, &r.tokens).root, take_result, &r);
    for (size_t i = 0; i < r.results.count; i++) {
        struct str name = text_of(&r, r.results.items[i]->part[RESULT_NAME]);
        if (sort_of_name(&r, name) == SORT_DURATION)
            *vec_push(&out->names) = alloc_copy(name.p, name.n);
    }
    vec_release(&r.results);
    vec_release(&r.tokens.v);
    arena_release(&arena);
}

bool duration_columns_have(const struct duration_columns *d, const char *column)
{
    for (size_t i = 0; i < d->names.count; i++)
        if (strcmp(d->names.items[i], column) == 0)
            return true;
    return false;
}
