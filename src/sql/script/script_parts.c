#include "sql/script/script_parts.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "sql/engine/family.h"
#include "sql/engine/parts.h"
#include "sql/engine/session_state.h"
#include "sql/engine/sql_table.h"
#include "sql/engine/table_builder.h"
#include "sql/script/script_plan.h"
#include "sql/tokens/keywords.h"

enum { NESTED_MAX = 16, PARTS_MAX = 16 };

/* Finding parts. */

struct finder {
    struct sql_session *session;
    const struct token_list *tokens;
    struct script_parts *out;
    size_t with; /* where the statement's WITH begins */
    int depth;
};

static struct token at(const struct finder *f, size_t i)
{
    return f->tokens->v.items[i];
}

/* The next token that is not blank, or `to`. */
static size_t skip_blanks(const struct finder *f, size_t i, size_t to)
{
    while (i < to && token_is_blank(at(f, i)))
        i++;
    return i;
}

/* Behind an opening parenthesis: where the closing one is, or `to`. */
static size_t group_end(const struct finder *f, size_t i, size_t to)
{
    for (int depth = 1; i < to; i++) {
        depth += token_is(at(f, i), '(') - token_is(at(f, i), ')');
        if (depth == 0)
            break;
    }
    return i;
}

/* Without a look at words with another first letter. */
static bool is_word(struct token t, const char *word)
{
    return t.kind == TOKEN_WORD && (t.text.p[0] & ~0x20) == word[0] && token_is_word(t, word);
}

/* Whether the SELECT has a word of those that groups, windows and the first rows of an order have:
 * a look that spares planning most others. */
static bool may_stand_apart(const struct finder *f, size_t from, size_t to)
{
    static const char *const words[] = {
        "GROUP", "OVER",       "LIMIT",           "COUNT",           "SUM",   "TOTAL", "AVG", "MIN",
        "MAX",   "PERCENTILE", "PERCENTILE_CONT", "PERCENTILE_DISC", "MEDIAN"};
    for (size_t i = from; i < to; i++)
        for (size_t k = 0; k < sizeof words / sizeof *words; k++)
            if (is_word(at(f, i), words[k]))
                return true;
    return false;
}

/* Where a SELECT stands, and what that asks of it. */
enum place {
    PLACE_FROM,
    PLACE_LIST, /* behind IN: one column */
    PLACE_VALUE /* in a condition: one column, and a row that SQLite has to read all others for */
};

static bool fits(const struct plan *p, enum place place)
{
    uint32_t columns = vector_columns(p);
    if (place == PLACE_FROM)
        return columns <= PART_COLUMNS;
    return columns == 1 && (place == PLACE_LIST || !vector_may_stream(p));
}

/* The SELECT [from, to), which sees the WITH's tables up to token `seen`; false if it is none that
 * is taken. One that names columns of the statement around it is not understood without that. */
static bool take(struct finder *f, size_t from, size_t to, size_t seen, enum place place)
{
    struct script_part part = {.from = from, .to = to};
    if (!may_stand_apart(f, from, to))
        return false;
    size_t first = skip_blanks(f, from, to);
    bool with = first < to && token_is_word(at(f, first), "WITH");
    if (first == to || (!with && !token_is_word(at(f, first), "SELECT")) ||
        (with && seen > f->with))
        return false;
    for (size_t i = f->with; i < seen; i++)
        *vec_push(&part.alone.v) = at(f, i);
    for (size_t i = from; i < to; i++)
        *vec_push(&part.alone.v) = at(f, i);
    part.plan = f->out->v.count < PARTS_MAX ? script_plan_part(f->session, &part.alone) : NULL;
    if (part.plan && !fits(part.plan, place)) {
        vector_free(part.plan);
        part.plan = NULL;
    }
    if (!part.plan) {
        vec_release(&part.alone.v);
        return false;
    }
    *vec_push(&f->out->v) = part;
    return true;
}

static void find_in_from(struct finder *f, size_t from, size_t to, size_t seen);

static void take_or_search(struct finder *f, size_t from, size_t to, size_t seen)
{
    if (take(f, from, to, seen, PLACE_FROM) || f->depth == NESTED_MAX)
        return;
    f->depth++;
    find_in_from(f, from, to, seen);
    f->depth--;
}

/* The SELECT in parentheses of a condition, behind the word `last`: the list of an IN, or a value.
 * EXISTS ends with the first row, and functions that take a SELECT do with it what they like. */
static void find_in_condition(struct finder *f, size_t from, size_t to, size_t seen,
                              struct token last)
{
    bool is_list = token_is_word(last, "IN");
    bool is_call = token_is_name(last) && !is_list && !sql_is_keyword(token_name(last));
    if (!is_call && !token_is_word(last, "EXISTS"))
        take(f, from, to, seen, is_list ? PLACE_LIST : PLACE_VALUE);
}

static bool begins_condition(struct token t)
{
    return token_is_word(t, "WHERE") || token_is_word(t, "ON") || token_is_word(t, "HAVING");
}

static bool ends_condition(struct token t)
{
    return token_is_word(t, "SELECT") || token_is_word(t, "JOIN") || token_is_word(t, "GROUP") ||
           token_is_word(t, "ORDER") || token_is_word(t, "LIMIT");
}

/* What stands in parentheses behind FROM or JOIN, and in conditions. */
static void find_in_from(struct finder *f, size_t from, size_t to, size_t seen)
{
    struct token before = {0}, last = {0};
    bool condition = false;
    for (size_t i = skip_blanks(f, from, to); i < to; i = skip_blanks(f, i + 1, to)) {
        struct token t = at(f, i);
        bool is_source = (token_is_word(last, "FROM") && !token_is_word(before, "DISTINCT")) ||
                         token_is_word(last, "JOIN");
        condition = (condition && !ends_condition(t)) || begins_condition(t);
        before = last;
        last = t;
        if (!token_is(t, '('))
            continue;
        size_t first = skip_blanks(f, i + 1, to);
        bool selects = first < to && token_is_word(at(f, first), "SELECT");
        if (condition && !is_source && !selects)
            continue;
        size_t end = group_end(f, i + 1, to);
        if (is_source)
            take_or_search(f, i + 1, end, seen);
        else if (condition)
            find_in_condition(f, i + 1, end, seen, before);
        i = end;
    }
}

/* The tables of a WITH from token `i` on; where the SELECT behind it begins, or `to`. */
static size_t find_in_with(struct finder *f, size_t i, size_t to)
{
    size_t seen = f->with;
    for (;;) {
        i = skip_blanks(f, i, to);                     /* the name */
        i = i < to ? skip_blanks(f, i + 1, to) : to;   /* AS */
        if (i == to || !token_is_word(at(f, i), "AS")) /* it names its columns */
            return to;
        while (i < to && !token_is(at(f, i), '('))
            i++;
        size_t end = i < to ? group_end(f, i + 1, to) : to;
        if (end == to)
            return to;
        take_or_search(f, i + 1, end, seen);
        seen = end + 1;
        i = skip_blanks(f, end + 1, to);
        if (i == to || !token_is(at(f, i), ','))
            break;
        i++;
    }
    find_in_from(f, i, to, seen);
    return i;
}

static void find(struct finder *f)
{
    size_t to = f->tokens->v.count, first = skip_blanks(f, f->with, to);
    if (first == to)
        return;
    f->with = first;
    if (token_is_word(at(f, first), "SELECT"))
        find_in_from(f, first, to, first);
    else if (token_is_word(at(f, first), "WITH"))
        find_in_with(f, first + 1, to);
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
        bool begins = k < parts->v.count && parts->v.items[k].from == i;
        if (begins) {
            t.kind = TOKEN_WORD;
            t.text = reading(parts, k);
        }
        *vec_push(&parts->tokens.v) = t;
        i = begins ? parts->v.items[k++].to : i + 1;
    }
}

/* Compiles the statement that reads the parts, by which it is known which ones SQLite reads: not
 * those that only other parts would have. */
static bool compiles(struct sql_session *s, const struct script_parts *parts, size_t from)
{
    const struct token_list *tokens = &parts->tokens;
    sqlite3_stmt *stmt = NULL;
    char *text = tokens_text(tokens->v.items + from, tokens->v.count - from);
    int rc = session_prepare(s, text, 0, &stmt);
    sqlite3_finalize(stmt);
    free(text);
    return rc == SQLITE_OK;
}

static enum vector_result run_part(struct sql_session *s, struct plan *p, uint32_t number)
{
    const char *names[PART_COLUMNS];
    uint32_t n = vector_columns(p);
    for (uint32_t c = 0; c < n; c++)
        names[c] = vector_column_name(p, c);
    struct table_builder *b = table_builder_new(&s->trace->strings, (int)n, names);
    enum vector_result result = vector_build(p, b);
    if (result != VECTOR_DONE) {
        table_builder_free(b);
        return result;
    }
    struct table *t = table_builder_finish(b, "part");
    parts_set(s, number, sql_table_own(t, &s->trace->strings, &s->cancel));
    return VECTOR_DONE;
}

void script_parts_end(struct sql_session *s, struct script_parts *parts)
{
    for (size_t k = 0; k < parts->v.count; k++) {
        vector_free(parts->v.items[k].plan);
        vec_release(&parts->v.items[k].alone.v);
    }
    vec_release(&parts->v);
    vec_release(&parts->tokens.v);
    arena_release(&parts->arena);
    parts_drop(s, parts->first);
}

bool script_parts_find(struct sql_session *s, const struct token_list *tokens, size_t from,
                       struct script_parts *out)
{
    struct finder f = {.session = s, .tokens = tokens, .out = out, .with = from};
    *out = (struct script_parts){.first = (uint32_t)s->parts.v.count};
    find(&f);
    if (out->v.count == 0)
        return false;
    arena_init(&out->arena);
    for (size_t k = 0; k < out->v.count; k++)
        parts_add(s, vector_estimate(out->v.items[k].plan), vector_describe(out->v.items[k].plan));
    write_statement(out, tokens);
    bool found = compiles(s, out, from);
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
