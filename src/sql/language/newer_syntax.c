#include "sql/language/newer_syntax.h"

#include <sqlite3.h>
#include <stdlib.h>

#include "base/alloc.h"

/* An open parenthesis, and the call it belongs to where it can be an aggregate's. */
struct level {
    size_t open, name; /* token numbers; no call: name is `open` */
    size_t order;      /* of ORDER, 0 for none */
    int arguments, keys;
    bool distinct;
    char flags[64]; /* a letter a key, see ordered_aggregate.h */
};

struct rewrite {
    const struct token_list *tokens;
    const char **texts; /* what takes the place of each token, NULL to keep it */
    struct ordered_aggregates *aggregates;
    struct arena *arena;
    VEC(struct level) levels;
    bool any;
};

static size_t next_solid(const struct token_list *tokens, size_t i)
{
    for (i++; i < tokens->v.count && token_is_blank(tokens->v.items[i]);)
        i++;
    return i;
}

static bool is_one_of(struct token t, const char *const *words)
{
    for (; *words; words++)
        if (token_is_word(t, *words))
            return true;
    return false;
}

/* Parentheses behind these words hold no arguments. */
static bool may_be_call(struct token name, struct token first)
{
    static const char *const no_names[] = {"AS",   "OVER", "IN",    "EXISTS", "FILTER", "FROM",
                                           "JOIN", "ON",   "WHERE", "AND",    "OR",     "NOT",
                                           "THEN", "ELSE", "WHEN",  "SELECT", "BY",     NULL};
    static const char *const no_arguments[] = {"SELECT", "WITH",      "VALUES",
                                               "ORDER",  "PARTITION", NULL};
    return token_is_name(name) && !is_one_of(name, no_names) && !is_one_of(first, no_arguments) &&
           !token_is(first, '*');
}

static void open_level(struct rewrite *r, size_t open, size_t before)
{
    struct level l = {.open = open, .name = open, .arguments = 1};
    size_t first = next_solid(r->tokens, open);
    if (open > 0 && first < r->tokens->v.count &&
        may_be_call(r->tokens->v.items[before], r->tokens->v.items[first])) {
        l.name = before;
        l.distinct = token_is_word(r->tokens->v.items[first], "DISTINCT");
    }
    *vec_push(&r->levels) = l;
}

static void put(struct rewrite *r, size_t at, const char *text)
{
    r->texts[at] = text;
    r->any = true;
}

static const char *keep(struct rewrite *r, char *text)
{
    size_t n = strlen(text) + 1;
    char *kept = arena_alloc_bytes(r->arena, n);
    memcpy(kept, text, n);
    sqlite3_free(text);
    return kept;
}

/* Names that are new, and iif(a, b) without a third argument. */
static void rename_call(struct rewrite *r, const struct level *l, size_t close)
{
    if (l->name == l->open)
        return;
    struct token name = r->tokens->v.items[l->name];
    bool is_if = token_is_word(name, "IF"), is_iif = token_is_word(name, "IIF");
    if (token_is_word(name, "STRING_AGG"))
        put(r, l->name, "group_concat");
    if (is_if)
        put(r, l->name, "iif");
    if ((is_if || is_iif) && l->arguments == 2)
        put(r, close, ",NULL)");
}

/* The call is an ordered aggregate's: name( becomes "tptui_ordered_N_name"('flags', */
static void close_level(struct rewrite *r, size_t close)
{
    struct level l = vec_last(&r->levels);
    r->levels.count--;
    rename_call(r, &l, close);
    if (!l.order)
        return;
    struct token called = r->tokens->v.items[l.name];
    struct str name =
        token_is_word(called, "STRING_AGG") ? STR("group_concat") : token_name(called);
    ordered_aggregate_define(r->aggregates, name, l.arguments);
    put(r, l.name,
        keep(r, sqlite3_mprintf("\"tptui_ordered_%d_%.*w\"", l.arguments, (int)name.n, name.p)));
    put(r, l.open, keep(r, sqlite3_mprintf("('%s%s',", l.distinct ? "u" : "", l.flags)));
    if (l.distinct)
        put(r, next_solid(r->tokens, l.open), "");
}

/* ORDER BY among a call's arguments starts its keys. */
static void begin_keys(struct rewrite *r, struct level *l, size_t at)
{
    size_t by = next_solid(r->tokens, at);
    if (l->name == l->open || l->order || by >= r->tokens->v.count ||
        !token_is_word(r->tokens->v.items[by], "BY"))
        return;
    l->order = at;
    l->keys = 1;
    l->flags[0] = 'a';
    put(r, at, ",");
    put(r, by, "");
}

/* NULLS FIRST, NULLS LAST */
static void read_nulls(struct rewrite *r, char *flag, size_t at)
{
    size_t next = next_solid(r->tokens, at);
    if (next >= r->tokens->v.count)
        return;
    bool first = token_is_word(r->tokens->v.items[next], "FIRST");
    bool descending = *flag == 'd' || *flag == 'D';
    if (!first && !token_is_word(r->tokens->v.items[next], "LAST"))
        return;
    if (descending)
        *flag = first ? 'D' : 'd';
    else
        *flag = first ? 'a' : 'A';
    put(r, at, "");
    put(r, next, "");
}

static void read_key_word(struct rewrite *r, struct level *l, size_t at)
{
    struct token t = r->tokens->v.items[at];
    char *flag = &l->flags[l->keys - 1];
    bool descending = token_is_word(t, "DESC");
    if (token_is_word(t, "NULLS"))
        read_nulls(r, flag, at);
    else if (descending || token_is_word(t, "ASC"))
        put(r, at, "");
    if (descending)
        *flag = 'd';
}

static void read_token(struct rewrite *r, size_t at, size_t before)
{
    struct token t = r->tokens->v.items[at];
    if (token_is(t, '(')) {
        open_level(r, at, before);
        return;
    }
    if (r->levels.count == 0)
        return;
    struct level *l = &vec_last(&r->levels);
    if (token_is(t, ')')) {
        close_level(r, at);
    } else if (token_is(t, ',') && !l->order) {
        l->arguments++;
    } else if (token_is(t, ',') && l->keys < (int)sizeof l->flags - 1) {
        l->flags[l->keys++] = 'a';
    } else if (token_is_word(t, "ORDER")) {
        begin_keys(r, l, at);
    } else if (l->order) {
        read_key_word(r, l, at);
    }
}

/* 1_000 without what parts its digits. */
static void read_number(struct rewrite *r, size_t at)
{
    struct str n = r->tokens->v.items[at].text;
    size_t used = 0;
    if (!memchr(n.p, '_', n.n))
        return;
    char *text = arena_alloc_bytes(r->arena, n.n + 1);
    for (size_t i = 0; i < n.n; i++)
        if (n.p[i] != '_')
            text[used++] = n.p[i];
    text[used] = 0;
    put(r, at, text);
}

static struct token stand_in(struct arena *arena, struct token t, const char *text)
{
    struct sql_source *source = arena_alloc(arena, sizeof *source);
    *source = (struct sql_source){.name = t.source->name,
                                  .text = str_from(text),
                                  .parent = t.source,
                                  .parent_at = token_at(t),
                                  .is_stand_in = true};
    return (struct token){t.kind, source->text, source};
}

/* Most statements have none of it. */
static bool may_need(const struct token_list *tokens)
{
    static const char *const names[] = {"STRING_AGG", "IIF", "IF", NULL};
    bool in_call = false;
    int depth = 0;
    for (size_t i = 0; i < tokens->v.count; i++) {
        struct token t = tokens->v.items[i];
        depth += token_is(t, '(') - token_is(t, ')');
        in_call |= depth > 0 && token_is_word(t, "ORDER");
        if (in_call || is_one_of(t, names) ||
            (t.kind == TOKEN_NUMBER && memchr(t.text.p, '_', t.text.n)))
            return true;
    }
    return false;
}

bool newer_syntax_rewrite(struct ordered_aggregates *aggregates, struct arena *arena,
                          struct token_list *tokens)
{
    if (!may_need(tokens))
        return false;
    struct rewrite r = {.tokens = tokens, .aggregates = aggregates, .arena = arena};
    r.texts = alloc_array(tokens->v.count, sizeof *r.texts);
    for (size_t i = 0, before = 0; i < tokens->v.count; i++) {
        if (token_is_blank(tokens->v.items[i]))
            continue;
        if (tokens->v.items[i].kind == TOKEN_NUMBER)
            read_number(&r, i);
        else
            read_token(&r, i, before);
        before = i;
    }
    for (size_t i = 0; i < tokens->v.count; i++)
        if (r.texts[i])
            tokens->v.items[i] = stand_in(arena, tokens->v.items[i], r.texts[i]);
    vec_release(&r.levels);
    free(r.texts);
    return r.any;
}

static bool has_stand_in(const struct token_list *tokens)
{
    for (size_t i = 0; i < tokens->v.count; i++)
        if (tokens->v.items[i].source->is_stand_in)
            return true;
    return false;
}

/* Whether a token is the statement's own or takes the place of one of them; pipelines also put
 * whole clauses in. */
static bool is_spelled(struct token t)
{
    return !t.source->is_stand_in || t.text.n == t.source->text.n;
}

/* Where the text of whole tokens is `name`: [from, to). */
static bool find_name(const struct token_list *tokens, struct str name, size_t *from, size_t *to)
{
    for (*from = 0; *from < tokens->v.count; ++*from) {
        struct str rest = name;
        for (*to = *from; *to < tokens->v.count && rest.n > 0; ++*to) {
            struct str text = tokens->v.items[*to].text;
            if (!str_starts(rest, text) || !is_spelled(tokens->v.items[*to]))
                break;
            rest = str_skip(rest, text.n);
        }
        if (rest.n == 0)
            return true;
    }
    return false;
}

char *newer_syntax_column_name(const struct token_list *tokens, const char *name)
{
    size_t from, to;
    if (!has_stand_in(tokens) || !find_name(tokens, str_from(name), &from, &to))
        return NULL;
    struct token_list written = {0};
    for (size_t i = from; i < to; i++)
        *vec_push(&written.v) = token_written(tokens->v.items[i]);
    char *text = tokens_text(written.v.items, written.v.count);
    vec_release(&written.v);
    return text;
}
