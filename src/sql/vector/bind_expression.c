#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/hash.h"
#include "core/time.h"
#include "core/trace.h"
#include "sql/tokens/keywords.h"
#include "sql/vector/aggregate.h"
#include "sql/vector/bind_expression.h"
#include "sql/vector/evaluate.h"
#include "sql/vector/window.h"

enum { PATTERN_MAX = 1000, CASE_MAX = 64 };

struct token reader_peek(const struct reader *r)
{
    return r->at < r->end ? r->words->items[r->at] : (struct token){.kind = TOKEN_END};
}

struct token reader_take(struct reader *r)
{
    struct token t = reader_peek(r);
    r->at += r->at < r->end;
    return t;
}

bool reader_accept(struct reader *r, const char *keyword)
{
    bool yes = token_is_word(reader_peek(r), keyword);
    r->at += yes;
    return yes;
}

bool reader_accept_char(struct reader *r, char c)
{
    bool yes = token_is(reader_peek(r), c);
    r->at += yes;
    return yes;
}

static bool accept_operator(struct reader *r, const char *text)
{
    struct token t = reader_peek(r);
    bool yes = t.kind == TOKEN_OPERATOR && str_eq(t.text, str_from(text));
    r->at += yes;
    return yes;
}

bool same_name(struct str a, struct str b)
{
    return a.n == b.n && (a.n == 0 || sqlite3_strnicmp(a.p, b.p, (int)a.n) == 0);
}

bool expr_has(const struct expr *e, enum expr_op op)
{
    bool has = e->op == op;
    for (uint32_t i = 0; !has && e->op != EXPR_CONST && i < e->count; i++)
        has = expr_has(e->args[i], op);
    return has;
}

bool expr_same(const struct expr *a, const struct expr *b)
{
    if (a == b)
        return true;
    if (a->op != b->op || a->type != b->type)
        return false;
    if (a->op == EXPR_CONST)
        return a->type == VALUE_NULL || a->number == b->number;
    if (a->count != b->count || a->table != b->table || a->column != b->column)
        return false;
    for (uint32_t i = 0; i < a->count; i++)
        if (!expr_same(a->args[i], b->args[i]))
            return false;
    return true;
}

/* Constants. */

struct expr *expr_int(struct plan *p, int64_t v)
{
    struct expr *e = expr_new(p, EXPR_CONST, VALUE_INT, 0);
    e->number = v;
    return e;
}

struct expr *expr_text(struct plan *p, struct str s)
{
    struct expr *e = expr_new(p, EXPR_CONST, VALUE_TEXT, 0);
    e->number = 0;
    e->text = string_pool_intern(&p->session->trace->strings, s);
    return e;
}

/* What SQLite makes of an expression without names. */
static struct expr *ask_sqlite(struct plan *p, struct str text)
{
    char *sql = sqlite3_mprintf("SELECT %.*s", (int)text.n, text.p);
    sqlite3_stmt *stmt = NULL;
    struct expr *e = NULL;
    int rc = sqlite3_prepare_v2(p->session->db, sql, -1, &stmt, NULL);
    sqlite3_free(sql);
    if (rc == SQLITE_OK && sqlite3_step(stmt) == SQLITE_ROW) {
        int type = sqlite3_column_type(stmt, 0);
        if (type == SQLITE_INTEGER)
            e = expr_int(p, sqlite3_column_int64(stmt, 0));
        if (type == SQLITE_FLOAT) {
            e = expr_new(p, EXPR_CONST, VALUE_REAL, 0);
            e->real = sqlite3_column_double(stmt, 0);
        }
    }
    sqlite3_finalize(stmt);
    return e;
}

static struct expr *bind_number(struct binder *b, struct str text)
{
    int64_t v;
    if (str_to_i64(text, &v) && v >= 0)
        return expr_int(b->plan, v);
    return ask_sqlite(b->plan, text);
}

static struct expr *bind_string(struct binder *b, struct token t)
{
    struct str inner = token_name(t);
    if (inner.n > 0 && (memchr(inner.p, '\'', inner.n) || memchr(inner.p, 0, inner.n)))
        return NULL;
    return expr_text(b->plan, inner);
}

/* An operation on constants is one itself; not a cast, which has an affinity that they have not. */
static struct expr *fold(struct binder *b, struct expr *e)
{
    struct batch one = {.n = 1, .serial = plan_next_batch(b->plan)};
    bool constant = e->count > 0 && e->op != EXPR_TO_INT && e->op != EXPR_TO_REAL;
    for (uint32_t i = 0; i < e->count; i++)
        constant = constant && e->args[i]->op == EXPR_CONST;
    if (!constant || e->type == VALUE_TEXT)
        return e;
    struct values v = evaluate(b->plan, NULL, e, &one);
    if (b->plan->refused || value_is_null(v, e->type, 0))
        return NULL;
    struct expr *c = expr_new(b->plan, EXPR_CONST, e->type, 0);
    c->number = ((const int64_t *)v.data)[0];
    return c;
}

/* Nodes. */

static bool is_made_of(const struct expr *e, enum expr_op op, enum value_type type,
                       struct expr *const *args, uint32_t n)
{
    bool same = e->op == op && e->type == type && e->count == n;
    for (uint32_t i = 0; same && i < n; i++)
        same =
            e->args[i] == args[i] || (args[i]->op == EXPR_CONST && expr_same(e->args[i], args[i]));
    return same;
}

struct expr *expr_node(struct binder *b, enum expr_op op, enum value_type type,
                       struct expr *const *args, uint32_t n)
{
    uint64_t hash = (uint64_t)op << 32 | n;
    for (uint32_t i = 0; i < n; i++) {
        if (!args[i])
            return NULL;
        hash = args[i]->op == EXPR_CONST ? hash : hash_u64(hash ^ (uintptr_t)args[i]);
    }
    struct expr **list = &b->plan->made[hash_u64(hash) % MADE];
    for (struct expr *known = *list; known; known = known->next)
        if (is_made_of(known, op, type, args, n))
            return known;
    struct expr *e = expr_new(b->plan, op, type, n);
    for (uint32_t i = 0; i < n; i++) {
        e->args[i] = args[i];
        e->depth = args[i]->depth >= e->depth ? args[i]->depth + 1 : e->depth;
    }
    if (e->depth > DEPTH_MAX || b->plan->refused)
        return NULL;
    struct expr *folded = fold(b, e);
    if (folded == e) {
        e->next = *list;
        *list = e;
    }
    return folded;
}

bool expr_is_number(const struct expr *e)
{
    return e->type == VALUE_INT || e->type == VALUE_REAL;
}

bool expr_joins_texts(const struct expr *e)
{
    return e && (e->type == VALUE_TEXT || e->type == VALUE_INT);
}

static struct expr *binary(struct binder *b, enum expr_op op, struct expr *x, struct expr *y)
{
    if (!x || !y)
        return NULL;
    bool ints = x->type == VALUE_INT && y->type == VALUE_INT;
    bool numbers = expr_is_number(x) && expr_is_number(y);
    bool texts = x->type == VALUE_TEXT && y->type == VALUE_TEXT;
    enum value_type type = VALUE_INT;
    bool fits = ints;
    if (op >= EXPR_EQ && op <= EXPR_IS_NOT) {
        fits = numbers || texts;
    } else if (op >= EXPR_ADD && op <= EXPR_DIVIDE) {
        fits = numbers;
        type = ints ? VALUE_INT : VALUE_REAL;
    }
    /* SQLite puts the real in the place of the integer column in other conditions, too. */
    if (op == EXPR_EQ && ((x->op == EXPR_COLUMN && x->type == VALUE_INT && y->type == VALUE_REAL) ||
                          (y->op == EXPR_COLUMN && y->type == VALUE_INT && x->type == VALUE_REAL)))
        return NULL;
    return fits ? expr_node(b, op, type, (struct expr *[]){x, y}, 2) : NULL;
}

static struct expr *unary(struct binder *b, enum expr_op op, struct expr *x)
{
    if (!x || x->type == VALUE_NULL || (op == EXPR_NOT && x->type != VALUE_INT))
        return NULL;
    return expr_node(b, op, VALUE_INT, &x, 1);
}

static struct expr *negated(struct binder *b, struct expr *e, bool no)
{
    return no ? unary(b, EXPR_NOT, e) : e;
}

static struct expr *match(struct binder *b, enum expr_op op, struct expr *x, struct expr *pattern)
{
    const struct string_pool *pool = &b->plan->session->trace->strings;
    if (!x || !pattern || x->type != VALUE_TEXT || pattern->op != EXPR_CONST ||
        pattern->type != VALUE_TEXT)
        return NULL;
    if (b->environment->function_is_taken(b->plan->session,
                                          op == EXPR_LIKE ? STR("like") : STR("glob")))
        return NULL;
    struct str text = string_pool_get(pool, pattern->text);
    if (text.n > PATTERN_MAX || x->op == EXPR_CONST)
        return NULL;
    struct expr *e = expr_node(b, op, VALUE_INT, (struct expr *[]){x, pattern}, 2);
    if (!e)
        return NULL;
    e->memo_size = __atomic_load_n(&pool->count, __ATOMIC_ACQUIRE);
    e->memo = arena_alloc_bytes(&b->plan->arena, e->memo_size);
    memset(e->memo, 0, e->memo_size);
    return e;
}

/* The type that values of both kinds have; false where they differ. */
bool expr_join_type(enum value_type *type, enum value_type other)
{
    if (*type == VALUE_NULL)
        *type = other;
    return other == VALUE_NULL || other == *type;
}

static struct expr *bind_or(struct binder *b, struct reader *r);

/* IN (constants of the expression's type). */
static struct expr *bind_in(struct binder *b, struct reader *r, struct expr *x)
{
    struct expr *args[LIST_MAX + 1] = {x};
    uint32_t n = 1;
    if (!x || (x->type != VALUE_INT && x->type != VALUE_TEXT) || !reader_accept_char(r, '('))
        return NULL;
    if (x->op == EXPR_CONST)
        return NULL;
    if (bind_begins_select(r))
        return bind_in_rows(b, r, x);
    do {
        struct expr *v = n <= LIST_MAX ? bind_or(b, r) : NULL;
        if (!v || v->op != EXPR_CONST || v->type != x->type)
            return NULL;
        args[n++] = v;
    } while (reader_accept_char(r, ','));
    return reader_accept_char(r, ')') ? expr_node(b, EXPR_IN, VALUE_INT, args, n) : NULL;
}

static struct expr *bind_case(struct binder *b, struct reader *r)
{
    struct expr *args[CASE_MAX];
    uint32_t n = 0;
    enum value_type type = VALUE_NULL;
    struct expr *base = token_is_word(reader_peek(r), "WHEN") ? NULL : bind_or(b, r);
    bool simple = base != NULL;
    while (reader_accept(r, "WHEN") && n + 3 < CASE_MAX) {
        struct expr *when = bind_or(b, r);
        when = simple ? binary(b, EXPR_EQ, base, when) : when;
        struct expr *then = reader_accept(r, "THEN") ? bind_or(b, r) : NULL;
        if (!when || !then || when->type != VALUE_INT || !expr_join_type(&type, then->type))
            return NULL;
        args[n++] = when;
        args[n++] = then;
    }
    if (n > 0 && reader_accept(r, "ELSE")) {
        args[n] = bind_or(b, r);
        if (!args[n] || !expr_join_type(&type, args[n]->type))
            return NULL;
        n++;
    }
    if (n == 0 || !reader_accept(r, "END") || type == VALUE_NULL)
        return NULL;
    return expr_node(b, EXPR_CASE, type, args, n);
}

static struct expr *bind_cast(struct binder *b, struct reader *r)
{
    struct expr *x = reader_accept_char(r, '(') ? bind_or(b, r) : NULL;
    if (!x || !reader_accept(r, "AS"))
        return NULL;
    struct token type = reader_take(r);
    bool to_int = token_is_word(type, "INT") || token_is_word(type, "INTEGER") ||
                  token_is_word(type, "BIGINT");
    bool to_real = token_is_word(type, "REAL") || token_is_word(type, "DOUBLE") ||
                   token_is_word(type, "FLOAT");
    if ((!to_int && !to_real) || !expr_is_number(x) || !reader_accept_char(r, ')'))
        return NULL;
    return expr_node(b, to_int ? EXPR_TO_INT : EXPR_TO_REAL, to_int ? VALUE_INT : VALUE_REAL, &x,
                     1);
}

/* Names. */

struct expr *bind_name(struct binder *b, struct str name)
{
    struct expr *found = NULL;
    for (uint32_t s = 0; s < b->scope->count; s++) {
        const struct scope_source *source = &b->scope->sources[s];
        bool shared = false;
        for (uint32_t i = 0; i < b->scope->shared_count; i++)
            shared |= b->scope->shared[i].source == s && same_name(b->scope->shared[i].name, name);
        for (uint32_t i = 0; !shared && i < source->count; i++) {
            if (!same_name(source->columns[i].name, name))
                continue;
            if (found || !source->columns[i].expr)
                return NULL;
            found = source->columns[i].expr;
        }
    }
    if (found || !b->scope->named)
        return found;
    for (size_t i = 0; i < b->scope->named->outputs.count; i++) {
        const struct output *o = &b->scope->named->outputs.items[i];
        bool usable = o->expr && (b->aggregates || (!expr_has(o->expr, EXPR_AGGREGATE) &&
                                                    !expr_has(o->expr, EXPR_WINDOW)));
        if (same_name(str_from(o->name), name))
            return usable ? o->expr : NULL;
    }
    return NULL;
}

static struct expr *bind_qualified(struct binder *b, struct str alias, struct str name)
{
    struct expr *found = NULL;
    for (uint32_t s = 0; s < b->scope->count; s++) {
        const struct scope_source *source = &b->scope->sources[s];
        if (!same_name(source->alias, alias))
            continue;
        for (uint32_t i = 0; i < source->count; i++) {
            if (!same_name(source->columns[i].name, name))
                continue;
            if (found || !source->columns[i].expr)
                return NULL;
            found = source->columns[i].expr;
        }
    }
    return found;
}

/* Expressions by precedence, from the tightest up. */

static struct expr *bind_word(struct binder *b, struct reader *r, struct token t)
{
    struct str name = token_name(t);
    bool word = t.kind == TOKEN_WORD;
    if (!word && memchr(name.p, name.p[-1], name.n))
        return NULL; /* a doubled quote */
    if (word && same_name(name, STR("CASE")))
        return bind_case(b, r);
    if (word && same_name(name, STR("CAST")))
        return bind_cast(b, r);
    if (word && same_name(name, STR("NULL")))
        return expr_new(b->plan, EXPR_CONST, VALUE_NULL, 0);
    bool call = word && token_is(reader_peek(r), '(');
    if (call && same_name(name, STR("EXISTS")))
        return reader_accept_char(r, '(') ? bind_exists(b, r) : NULL;
    if (word && !call && sql_is_keyword(name))
        return NULL;
    if (call && reader_accept_char(r, '('))
        return bind_call(b, r, name);
    if (!reader_accept_char(r, '.'))
        return bind_name(b, name);
    struct token column = reader_take(r);
    return token_is_name(column) ? bind_qualified(b, name, token_name(column)) : NULL;
}

static struct expr *bind_primary(struct binder *b, struct reader *r)
{
    struct token t = reader_take(r);
    struct expr *e;
    switch (t.kind) {
    case TOKEN_NUMBER:
        return bind_number(b, t.text);
    case TOKEN_STRING:
        return bind_string(b, t);
    case TOKEN_WORD:
    case TOKEN_QUOTED:
        return bind_word(b, r, t);
    default:
        if (!token_is(t, '('))
            return NULL;
        if (bind_begins_select(r))
            return bind_value_of_select(b, r);
        e = bind_or(b, r);
        return e && reader_accept_char(r, ')') ? e : NULL;
    }
}

static struct expr *bind_unary(struct binder *b, struct reader *r)
{
    bool minus = reader_accept_char(r, '-'), plus = !minus && reader_accept_char(r, '+');
    struct expr *e = bind_primary(b, r);
    if (!minus) /* of a column it would take the affinity */
        return plus && e && e->op != EXPR_CONST ? NULL : e;
    if (e && e->op == EXPR_CONST && e->type == VALUE_REAL &&
        (e->real == 0 || e->real == -(double)INT64_MIN))
        return NULL; /* -0.0, and what is an integer with its sign only */
    return binary(b, EXPR_SUBTRACT, expr_int(b->plan, 0), e);
}

static struct expr *bind_concat(struct binder *b, struct reader *r)
{
    struct expr *e = bind_unary(b, r);
    while (e && accept_operator(r, "||")) {
        struct expr *args[] = {e, bind_unary(b, r)};
        bool fits = expr_joins_texts(args[0]) && expr_joins_texts(args[1]);
        e = fits ? expr_node(b, EXPR_CONCAT, VALUE_TEXT, args, 2) : NULL;
    }
    return e;
}

static struct expr *bind_product(struct binder *b, struct reader *r)
{
    struct expr *e = bind_concat(b, r);
    while (e) {
        if (reader_accept_char(r, '*'))
            e = binary(b, EXPR_MULTIPLY, e, bind_concat(b, r));
        else if (reader_accept_char(r, '/'))
            e = binary(b, EXPR_DIVIDE, e, bind_concat(b, r));
        else if (reader_accept_char(r, '%'))
            e = binary(b, EXPR_REMAINDER, e, bind_concat(b, r));
        else
            break;
    }
    return e;
}

static struct expr *bind_sum(struct binder *b, struct reader *r)
{
    struct expr *e = bind_product(b, r);
    while (e) {
        if (reader_accept_char(r, '+'))
            e = binary(b, EXPR_ADD, e, bind_product(b, r));
        else if (reader_accept_char(r, '-'))
            e = binary(b, EXPR_SUBTRACT, e, bind_product(b, r));
        else
            break;
    }
    return e;
}

static struct expr *bind_bits(struct binder *b, struct reader *r)
{
    struct expr *e = bind_sum(b, r);
    while (e) {
        if (reader_accept_char(r, '&'))
            e = binary(b, EXPR_BIT_AND, e, bind_sum(b, r));
        else if (reader_accept_char(r, '|'))
            e = binary(b, EXPR_BIT_OR, e, bind_sum(b, r));
        else
            break;
    }
    return e;
}

static struct expr *bind_order(struct binder *b, struct reader *r)
{
    struct expr *e = bind_bits(b, r);
    while (e) {
        if (accept_operator(r, "<="))
            e = binary(b, EXPR_LE, e, bind_bits(b, r));
        else if (accept_operator(r, ">="))
            e = binary(b, EXPR_GE, e, bind_bits(b, r));
        else if (accept_operator(r, "<"))
            e = binary(b, EXPR_LT, e, bind_bits(b, r));
        else if (accept_operator(r, ">"))
            e = binary(b, EXPR_GT, e, bind_bits(b, r));
        else
            break;
    }
    return e;
}

static struct expr *bind_between(struct binder *b, struct reader *r, struct expr *x)
{
    struct expr *low = bind_order(b, r);
    struct expr *high = low && reader_accept(r, "AND") ? bind_order(b, r) : NULL;
    return binary(b, EXPR_AND, binary(b, EXPR_GE, x, low), binary(b, EXPR_LE, x, high));
}

static struct expr *bind_is(struct binder *b, struct reader *r, struct expr *x)
{
    bool no = reader_accept(r, "NOT");
    if (reader_accept(r, "NULL"))
        return unary(b, no ? EXPR_NOT_NULL : EXPR_IS_NULL, x);
    return binary(b, no ? EXPR_IS_NOT : EXPR_IS, x, bind_order(b, r));
}

/* What stands behind [NOT]. */
static struct expr *bind_test(struct binder *b, struct reader *r, struct expr *x, bool no)
{
    if (reader_accept(r, "BETWEEN"))
        return negated(b, bind_between(b, r, x), no);
    if (reader_accept(r, "IN"))
        return negated(b, bind_in(b, r, x), no);
    if (reader_accept(r, "LIKE"))
        return negated(b, match(b, EXPR_LIKE, x, bind_order(b, r)), no);
    if (reader_accept(r, "GLOB"))
        return negated(b, match(b, EXPR_GLOB, x, bind_order(b, r)), no);
    if (no && reader_accept(r, "NULL"))
        return unary(b, EXPR_NOT_NULL, x);
    return NULL;
}

static bool begins_test(struct reader *r)
{
    static const char *const words[] = {"BETWEEN", "IN", "LIKE", "GLOB", "NOT"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (token_is_word(reader_peek(r), words[i]))
            return true;
    return false;
}

static struct expr *bind_equal(struct binder *b, struct reader *r)
{
    struct expr *e = bind_order(b, r);
    while (e) {
        if (accept_operator(r, "=") || accept_operator(r, "=="))
            e = binary(b, EXPR_EQ, e, bind_order(b, r));
        else if (accept_operator(r, "<>") || accept_operator(r, "!="))
            e = binary(b, EXPR_NE, e, bind_order(b, r));
        else if (reader_accept(r, "IS"))
            e = bind_is(b, r, e);
        else if (reader_accept(r, "ISNULL"))
            e = unary(b, EXPR_IS_NULL, e);
        else if (reader_accept(r, "NOTNULL"))
            e = unary(b, EXPR_NOT_NULL, e);
        else if (begins_test(r))
            e = bind_test(b, r, e, reader_accept(r, "NOT"));
        else
            break;
    }
    return e;
}

static struct expr *bind_not(struct binder *b, struct reader *r)
{
    uint32_t times = 0;
    while (reader_accept(r, "NOT"))
        times++;
    struct expr *e = bind_equal(b, r);
    for (; e && times > 0; times--)
        e = unary(b, EXPR_NOT, e);
    return e;
}

static struct expr *bind_and(struct binder *b, struct reader *r)
{
    struct expr *e = bind_not(b, r);
    while (e && reader_accept(r, "AND"))
        e = binary(b, EXPR_AND, e, bind_not(b, r));
    return e;
}

static struct expr *bind_or(struct binder *b, struct reader *r)
{
    struct expr *e = NULL;
    if (++b->depth <= DEPTH_MAX)
        e = bind_and(b, r);
    while (e && reader_accept(r, "OR"))
        e = binary(b, EXPR_OR, e, bind_and(b, r));
    b->depth--;
    return e && !b->plan->refused ? e : NULL;
}

struct expr *bind_expression(struct binder *b, struct reader *r)
{
    return bind_or(b, r);
}
