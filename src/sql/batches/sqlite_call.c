#include "base/hash.h"
#include "core/trace/trace.h"
#include "sql/engine/session_state.h"
#include "sql/batches/operations.h"

enum { KNOWN = 4096, KNOWN_ARGUMENTS = 3, ARGUMENTS_MAX = 8 };

/* What a function gave for arguments, as they lie in values; a text's id. */
struct known_result {
    int64_t arguments[KNOWN_ARGUMENTS];
    int64_t value;
    bool known, null;
};

struct sqlite_call {
    sqlite3_stmt *stmt;
    struct known_result *results; /* KNOWN; of calls with more arguments none is kept */
};

static struct sqlite_call *call_of(struct plan *p, struct expr *e)
{
    if (e->call)
        return e->call;
    struct str text = string_pool_get(&p->session->trace->strings, e->args[0]->text);
    struct sqlite_call *c = arena_alloc(&p->arena, sizeof *c);
    *c = (struct sqlite_call){0};
    if (sqlite3_prepare_v2(p->session->db, text.p, (int)text.n, &c->stmt, NULL) == SQLITE_OK)
        *vec_push(&p->calls) = c->stmt;
    else
        p->refused = true;
    if (e->count - 1 <= KNOWN_ARGUMENTS) {
        c->results = arena_alloc(&p->arena, KNOWN * sizeof *c->results);
        memset(c->results, 0, KNOWN * sizeof *c->results);
    }
    e->call = c;
    return c;
}

static int64_t text_result(struct plan *p, sqlite3_stmt *stmt)
{
    const char *text = (const char *)sqlite3_column_text(stmt, 0);
    size_t n = (size_t)sqlite3_column_bytes(stmt, 0);
    if (!text || n > JOINED_SIZE_MAX || plan_has_many_texts(p)) {
        p->refused = true;
        return NULL_STRING;
    }
    return string_pool_intern(&p->session->trace->strings, (struct str){text, n});
}

/* The value of the statement, whose arguments are bound: one of another type than is known
 * beforehand, like an error, refuses the plan. */
static struct known_result ask(struct plan *p, const struct expr *e, sqlite3_stmt *stmt)
{
    static const int types[] = {SQLITE_NULL, SQLITE_INTEGER, SQLITE_FLOAT, SQLITE_TEXT};
    struct known_result r = {.known = true};
    bool row = sqlite3_step(stmt) == SQLITE_ROW;
    int type = row ? sqlite3_column_type(stmt, 0) : SQLITE_BLOB;
    r.null = type == SQLITE_NULL;
    if (!r.null && type != types[e->type]) {
        p->refused = true;
    } else if (type == SQLITE_TEXT) {
        r.value = text_result(p, stmt);
    } else if (type == SQLITE_INTEGER) {
        r.value = sqlite3_column_int64(stmt, 0);
    } else if (type == SQLITE_FLOAT) {
        double real = sqlite3_column_double(stmt, 0);
        memcpy(&r.value, &real, sizeof real);
    }
    sqlite3_reset(stmt);
    return r;
}

/* Where the result for the arguments is kept, which it may not be yet; NULL for none. One with a
 * NULL is asked for again each time. */
static struct known_result *place_of(const struct expr *e, const struct sqlite_call *c,
                                     const struct values *v, uint32_t i)
{
    uint64_t hash = 0;
    for (uint32_t k = 0; c->results && k + 1 < e->count; k++) {
        if (value_is_null(v[k], e->args[k + 1]->type, i))
            return NULL;
        hash = hash_u64(hash ^ value_bits(v[k], e->args[k + 1]->type, i));
    }
    return c->results ? &c->results[hash % KNOWN] : NULL;
}

static bool is_of(const struct expr *e, const struct known_result *r, const struct values *v,
                  uint32_t i)
{
    bool same = r->known;
    for (uint32_t k = 0; same && k + 1 < e->count; k++)
        same = r->arguments[k] == (int64_t)value_bits(v[k], e->args[k + 1]->type, i);
    return same;
}

static void call_at(struct plan *p, struct expr *e, struct sqlite_call *c, const struct values *v,
                    uint32_t i)
{
    struct known_result *known = place_of(e, c, v, i);
    if (known && is_of(e, known, v, i)) {
        value_put(e, i, known->null, (uint64_t)known->value);
        return;
    }
    for (uint32_t k = 0; k + 1 < e->count; k++)
        evaluate_bind(p, c->stmt, (int)k + 1, v[k], e->args[k + 1]->type, i);
    struct known_result made = ask(p, e, c->stmt);
    for (uint32_t k = 0; known && k + 1 < e->count; k++)
        made.arguments[k] = (int64_t)value_bits(v[k], e->args[k + 1]->type, i);
    if (known)
        *known = made;
    value_put(e, i, made.null, (uint64_t)made.value);
}

struct values operate_call(struct plan *p, const struct plan_source *from, struct expr *e,
                           const struct batch *b)
{
    struct values v[ARGUMENTS_MAX];
    struct sqlite_call *c = call_of(p, e);
    (void)all_null(e, b->n);
    for (uint32_t k = 0; k + 1 < e->count && k < ARGUMENTS_MAX; k++)
        v[k] = evaluate(p, from, e->args[k + 1], b);
    for (uint32_t i = 0; i < b->n && !p->refused; i++)
        call_at(p, e, c, v, i);
    return values_put(e, b->n);
}
