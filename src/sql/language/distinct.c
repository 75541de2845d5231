#include "sql/language/distinct.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/arena.h"
#include "base/hash.h"
#include "sql/engine/family.h"
#include "sql/values/values.h"
#include "sql/grammar/parse.h"

/* A value seen: numbers by themselves, text and blobs by their bytes. */
struct entry {
    uint64_t hash; /* never 0 */
    uint8_t type;
    uint32_t size;
    union {
        int64_t number;
        double real;
        const char *bytes; /* owned by the arena */
    };
};

struct distinct {
    struct entry *slots;
    size_t cap, count;
    struct arena bytes;
};

static struct entry make_entry(sqlite3_value *v)
{
    struct entry e = {.type = (uint8_t)sqlite3_value_type(v)};
    if (e.type == SQLITE_FLOAT) {
        double d = sqlite3_value_double(v);
        if (d >= -9e18 && d <= 9e18 && d == (double)(int64_t)d) {
            e.type = SQLITE_INTEGER; /* 1.0 is 1 */
            e.number = (int64_t)d;
        } else {
            e.real = d;
        }
    } else if (e.type == SQLITE_INTEGER) {
        e.number = sqlite3_value_int64(v);
    } else {
        struct str s = value_str(v);
        e.bytes = s.p;
        e.size = (uint32_t)s.n;
    }
    bool bytes = e.type == SQLITE_TEXT || e.type == SQLITE_BLOB;
    e.hash = bytes ? hash_bytes(e.bytes, e.size, e.type) : hash_u64((uint64_t)e.number + e.type);
    e.hash += e.hash == 0;
    return e;
}

static bool same(const struct entry *a, const struct entry *b)
{
    if (a->hash != b->hash || a->type != b->type || a->size != b->size)
        return false;
    if (a->type == SQLITE_TEXT || a->type == SQLITE_BLOB)
        return memcmp(a->bytes, b->bytes, a->size) == 0;
    return a->number == b->number;
}

static void grow(struct distinct *d)
{
    size_t cap = d->cap ? d->cap * 2 : 64;
    struct entry *slots = d->count + 1 < d->cap ? alloc_try_array(cap, sizeof *slots)
                                                : alloc_array(cap, sizeof *slots);
    if (!slots)
        return; /* until the statement has stopped, what is free is enough */
    for (size_t i = 0; i < d->cap; i++) {
        if (d->slots[i].hash == 0)
            continue;
        size_t at = (size_t)d->slots[i].hash & (cap - 1);
        while (slots[at].hash)
            at = (at + 1) & (cap - 1);
        slots[at] = d->slots[i];
    }
    free(d->slots);
    d->slots = slots;
    d->cap = cap;
}

static void add(struct distinct *d, struct entry e)
{
    if (d->count * 2 >= d->cap)
        grow(d);
    size_t at = (size_t)e.hash & (d->cap - 1);
    for (; d->slots[at].hash; at = (at + 1) & (d->cap - 1))
        if (same(&d->slots[at], &e))
            return;
    if (e.type == SQLITE_TEXT || e.type == SQLITE_BLOB) {
        char *copy = arena_alloc_bytes(&d->bytes, e.size);
        memcpy(copy, e.bytes, e.size);
        e.bytes = copy;
    }
    d->slots[at] = e;
    d->count++;
}

static void count_step(SQL_FUNCTION_ARGS)
{
    if (sqlite3_value_type(argv[0]) == SQLITE_NULL)
        return;
    struct distinct **d = sqlite3_aggregate_context(ctx, sizeof *d);
    if (!d)
        return;
    if (!*d) {
        *d = alloc_array(1, sizeof **d);
        arena_init(&(*d)->bytes);
    }
    add(*d, make_entry(argv[0]));
}

static void count_final(sqlite3_context *ctx)
{
    struct distinct *d = group_state_made(ctx);
    sqlite3_result_int64(ctx, d ? (sqlite3_int64)d->count : 0);
    if (!d)
        return;
    arena_release(&d->bytes);
    free(d->slots);
    free(d);
}

static const struct native_function functions[] = {
    {.name = "tptui_count_distinct",
     .argc = 1,
     .flags = PURE,
     .step = count_step,
     .final = count_final},
    {0},
};

const struct sql_family distinct_family = {.functions = functions};

struct replacing {
    struct written_names *names;
    bool any;
};

static bool write_call(struct sql_rewrite *r, const struct sql_node *n)
{
    struct replacing *replacing = r->self;
    if (n->kind == SQL_RESULT && !n->part[RESULT_NAME]) {
        written_names_write(replacing->names, r, n);
        return true;
    }
    if (n->kind != SQL_CALL || n->op != SQL_OP_DISTINCT)
        return false;
    const struct sql_node *arguments = n->part[CALL_ARGUMENTS];
    struct token name = r->tokens->v.items[n->span.first];
    if (!token_is_word(name, "COUNT") || arguments->count != 1 || n->part[CALL_OVER])
        return false;
    tokens_put(r->out, r->arena, name, "tptui_count_distinct(");
    sql_rewrite_range(r, n, arguments->span.first, n->span.end);
    replacing->any = true;
    return true;
}

char *distinct_rewrite(const struct token_list *tokens, struct written_names *names)
{
    if (!tokens_mention(tokens, "DISTINCT") || !tokens_mention(tokens, "COUNT") ||
        tokens_mention(tokens, "COLLATE"))
        return NULL;
    struct token_list out = {0};
    struct arena arena;
    struct replacing replacing = {names, false};
    struct sql_rewrite r = {tokens, &out, &arena, write_call, &replacing};
    arena_init(&arena);
    struct sql_tree tree = sql_parse_statement(&arena, tokens);
    if (sql_is(tree.root, SQL_SELECT) && tree.whole)
        sql_rewrite_all(&r, tree.root);
    char *text = replacing.any ? tokens_text(out.v.items, out.v.count) : NULL;
    vec_release(&out.v);
    arena_release(&arena);
    return text;
}
