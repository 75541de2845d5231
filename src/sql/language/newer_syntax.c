#include "sql/language/newer_syntax.h"

#include <sqlite3.h>

static struct token token_of(const struct sql_rewrite *r, const struct sql_node *n)
{
    return r->tokens->v.items[n->span.first];
}

static void put(struct sql_rewrite *r, const struct sql_node *at, const char *text)
{
    tokens_put(r->out, r->arena, token_of(r, at), "%s", text);
}

enum { KEYS_MAX = 63 };

/* A letter a key, see ordered_aggregate.h, which tells where there are more keys than letters. */
static void read_flags(const struct sql_node *order, char flags[KEYS_MAX + 1])
{
    uint32_t n = order->count < KEYS_MAX ? order->count : KEYS_MAX;
    for (uint32_t i = 0; i < n; i++) {
        const struct sql_node *key = order->part[i];
        bool descending = key->op == SQL_OP_DESC;
        bool large = key->op2 == (descending ? SQL_OP_NULLS_FIRST : SQL_OP_NULLS_LAST);
        flags[i] = descending ? (large ? 'D' : 'd') : (large ? 'A' : 'a');
    }
    flags[n] = 0;
}

/* The call is an ordered aggregate's: "tptui_ordered_N_name"('flags', arguments, keys). */
static bool write_ordered(struct sql_rewrite *r, struct ordered_aggregates *aggregates,
                          const struct sql_node *call)
{
    const struct sql_node *arguments = call->part[CALL_ARGUMENTS], *order = call->part[CALL_ORDER];
    struct token called = token_of(r, call->part[CALL_NAME]);
    struct str name =
        token_is_word(called, "STRING_AGG") ? STR("group_concat") : token_name(called);
    char flags[KEYS_MAX + 1];
    if (arguments->count == 0)
        return false;
    read_flags(order, flags);
    ordered_aggregate_define(aggregates, name, (int)arguments->count);
    char *ours = sqlite3_mprintf("\"tptui_ordered_%u_%.*w\"('%s%s',", arguments->count, (int)name.n,
                                 name.p, call->op == SQL_OP_DISTINCT ? "u" : "", flags);
    put(r, call, ours);
    sqlite3_free(ours);
    sql_rewrite_node(r, arguments);
    for (uint32_t i = 0; i < order->count; i++) {
        put(r, order, ", ");
        sql_rewrite_node(r, order->part[i]->part[0]);
    }
    uint32_t close = order->span.end;
    while (close < call->span.end && !token_is(r->tokens->v.items[close], ')'))
        close++; /* NULLS LAST and the like; the end of a statement that ends too early */
    sql_rewrite_range(r, call, close, call->span.end);
    return true;
}

/* Names that are new, and iif(a, b) without a third argument. */
static bool write_renamed(struct sql_rewrite *r, const struct sql_node *call)
{
    const struct sql_node *name = call->part[CALL_NAME], *arguments = call->part[CALL_ARGUMENTS];
    struct token called = token_of(r, name);
    bool is_if = token_is_word(called, "IF"), is_iif = token_is_word(called, "IIF");
    bool is_short = (is_if || is_iif) && arguments->count == 2;
    uint32_t end = is_short ? arguments->span.end : call->span.end;
    if (!is_if && !is_short && !token_is_word(called, "STRING_AGG"))
        return false;
    put(r, name, is_if || is_iif ? "iif" : "group_concat");
    sql_rewrite_range(r, call, name->span.end, end);
    if (is_short) {
        put(r, name, ",NULL");
        sql_rewrite_range(r, call, end, call->span.end);
    }
    return true;
}

/* 1_000 without what parts its digits. */
static bool write_number(struct sql_rewrite *r, const struct sql_node *number)
{
    struct token t = token_of(r, number);
    if (t.kind != TOKEN_NUMBER || !memchr(t.text.p, '_', t.text.n))
        return false;
    char *text = arena_alloc_bytes(r->arena, t.text.n + 1);
    size_t used = 0;
    for (size_t i = 0; i < t.text.n; i++)
        if (t.text.p[i] != '_')
            text[used++] = t.text.p[i];
    text[used] = 0;
    put(r, number, text);
    return true;
}

bool newer_syntax_write(struct sql_rewrite *r, struct ordered_aggregates *aggregates,
                        const struct sql_node *n)
{
    if (n->kind == SQL_LITERAL)
        return write_number(r, n);
    if (n->kind != SQL_CALL)
        return false;
    return n->part[CALL_ORDER] ? write_ordered(r, aggregates, n) : write_renamed(r, n);
}
