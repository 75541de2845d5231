#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "core/trace/trace.h"
#include "sql/tokens/keywords.h"
#include "sql/batches/aggregate.h"
#include "sql/vector/bind_expression.h"
#include "sql/vector/refusal.h"
#include "sql/batches/evaluate.h"

enum { PATTERN_MAX = 1000, CASE_MAX = 64 };

bool same_name(struct str a, struct str b)
{
    return a.n == b.n && (a.n == 0 || sqlite3_strnicmp(a.p, b.p, (int)a.n) == 0);
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
    for (uint32_t i = 0; i < n; i++)
        e->args[i] = args[i];
    if (!expr_measure(e) || b->plan->refused)
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
                                          op == EXPR_LIKE ? STR("like") : STR("glob"), 2))
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

/* IN (constants of the expression's type). */
static struct expr *bind_in(struct binder *b, const struct sql_node *n)
{
    struct expr *args[LIST_MAX + 1] = {bind_expression(b, n->part[0])}, *x = args[0];
    const struct sql_node *set = n->part[1];
    if (!x || (x->type != VALUE_INT && x->type != VALUE_TEXT) || x->op == EXPR_CONST)
        return NULL;
    if (set->kind == SQL_SUBQUERY)
        return bind_in_rows(b, set->part[0], x);
    const struct sql_node *list = set->kind == SQL_PARENTHESES ? set->part[0] : NULL;
    if (!list || list->count == 0 || list->count > LIST_MAX)
        return NULL;
    for (uint32_t i = 0; i < list->count; i++) {
        args[i + 1] = bind_expression(b, list->part[i]);
        if (!args[i + 1] || args[i + 1]->op != EXPR_CONST || args[i + 1]->type != x->type)
            return NULL;
    }
    return expr_node(b, EXPR_IN, VALUE_INT, args, list->count + 1);
}

static struct expr *bind_case(struct binder *b, const struct sql_node *n)
{
    struct expr *args[CASE_MAX];
    const struct sql_node *whens = n->part[CASE_WHENS], *otherwise = n->part[CASE_ELSE];
    uint32_t used = 0;
    enum value_type type = VALUE_NULL;
    struct expr *base = n->part[CASE_BASE] ? bind_expression(b, n->part[CASE_BASE]) : NULL;
    if ((n->part[CASE_BASE] && !base) || 2 * whens->count + 1 > CASE_MAX)
        return NULL;
    for (uint32_t i = 0; i < whens->count; i++) {
        struct expr *when = bind_expression(b, whens->part[i]->part[0]);
        when = base ? binary(b, EXPR_EQ, base, when) : when;
        struct expr *then = bind_expression(b, whens->part[i]->part[1]);
        if (!when || !then || when->type != VALUE_INT || !expr_join_type(&type, then->type))
            return NULL;
        args[used++] = when;
        args[used++] = then;
    }
    if (otherwise) {
        struct expr *e = args[used++] = bind_expression(b, otherwise);
        if (!e || !expr_join_type(&type, e->type))
            return NULL;
    }
    return type == VALUE_NULL ? NULL : expr_node(b, EXPR_CASE, type, args, used);
}

static struct expr *bind_cast(struct binder *b, const struct sql_node *n)
{
    struct expr *x = bind_expression(b, n->part[0]);
    struct token type = bind_token(b, n->part[1]);
    bool one_word = n->part[1]->span.end - n->part[1]->span.first == 1;
    bool to_int = token_is_word(type, "INT") || token_is_word(type, "INTEGER") ||
                  token_is_word(type, "BIGINT");
    bool to_real = token_is_word(type, "REAL") || token_is_word(type, "DOUBLE") ||
                   token_is_word(type, "FLOAT");
    if (!x || !one_word || (!to_int && !to_real) || !expr_is_number(x))
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

static struct expr *bind_column(struct binder *b, const struct sql_node *n)
{
    const struct sql_node *table = n->part[COLUMN_TABLE];
    struct token first = bind_token(b, table ? table : n->part[COLUMN_NAME]);
    struct token column = bind_token(b, n->part[COLUMN_NAME]);
    struct str name = token_name(first);
    bool doubled_quote = first.kind == TOKEN_QUOTED && memchr(name.p, name.p[-1], name.n);
    bool keyword = first.kind == TOKEN_WORD && sql_is_keyword(name);
    if (n->part[COLUMN_SCHEMA] || !token_is_name(first) || !token_is_name(column) ||
        doubled_quote || keyword)
        return NULL;
    return table ? bind_qualified(b, name, token_name(column)) : bind_name(b, name);
}

/* Operations. */

static bool is_null_word(const struct binder *b, const struct sql_node *n)
{
    return n->kind == SQL_LITERAL && token_is_word(bind_token(b, n), "NULL");
}

static struct expr *bind_literal(struct binder *b, const struct sql_node *n)
{
    struct token t = bind_token(b, n);
    if (is_null_word(b, n))
        return expr_new(b->plan, EXPR_CONST, VALUE_NULL, 0);
    if (t.kind == TOKEN_NUMBER)
        return bind_number(b, t.text);
    return t.kind == TOKEN_STRING ? bind_string(b, t) : NULL;
}

static struct expr *bind_unary(struct binder *b, const struct sql_node *n)
{
    struct expr *e = bind_expression(b, n->part[0]);
    if (n->op == SQL_OP_NOT)
        return unary(b, EXPR_NOT, e);
    if (n->op == SQL_OP_ADD) /* of a column it would take the affinity */
        return e && e->op == EXPR_CONST ? e : NULL;
    if (n->op != SQL_OP_SUBTRACT || (e && e->op == EXPR_CONST && e->type == VALUE_REAL &&
                                     (e->real == 0 || e->real == -(double)INT64_MIN)))
        return NULL; /* -0.0, and what is an integer with its sign only */
    return binary(b, EXPR_SUBTRACT, expr_int(b->plan, 0), e);
}

/* EXPR_CONST where the operator is none here. */
static enum expr_op binary_op(enum sql_op op)
{
    static const enum expr_op ops[] = {
        [SQL_OP_OR] = EXPR_OR,
        [SQL_OP_AND] = EXPR_AND,
        [SQL_OP_IS] = EXPR_IS,
        [SQL_OP_IS_NOT] = EXPR_IS_NOT,
        [SQL_OP_EQ] = EXPR_EQ,
        [SQL_OP_NE] = EXPR_NE,
        [SQL_OP_LT] = EXPR_LT,
        [SQL_OP_LE] = EXPR_LE,
        [SQL_OP_GT] = EXPR_GT,
        [SQL_OP_GE] = EXPR_GE,
        [SQL_OP_BIT_AND] = EXPR_BIT_AND,
        [SQL_OP_BIT_OR] = EXPR_BIT_OR,
        [SQL_OP_ADD] = EXPR_ADD,
        [SQL_OP_SUBTRACT] = EXPR_SUBTRACT,
        [SQL_OP_MULTIPLY] = EXPR_MULTIPLY,
        [SQL_OP_DIVIDE] = EXPR_DIVIDE,
        [SQL_OP_REMAINDER] = EXPR_REMAINDER,
        [SQL_OP_CONCAT] = EXPR_CONCAT,
    };
    return op < sizeof ops / sizeof *ops ? ops[op] : EXPR_CONST;
}

static struct expr *bind_binary(struct binder *b, const struct sql_node *n)
{
    enum expr_op op = binary_op(n->op);
    struct expr *x = op == EXPR_CONST ? NULL : bind_expression(b, n->part[0]);
    if (!x)
        return NULL;
    if ((op == EXPR_IS || op == EXPR_IS_NOT) && is_null_word(b, n->part[1]))
        return unary(b, op == EXPR_IS ? EXPR_IS_NULL : EXPR_NOT_NULL, x);
    struct expr *args[] = {x, bind_expression(b, n->part[1])};
    if (op != EXPR_CONCAT)
        return binary(b, op, x, args[1]);
    bool fits = expr_joins_texts(args[0]) && expr_joins_texts(args[1]);
    return fits ? expr_node(b, EXPR_CONCAT, VALUE_TEXT, args, 2) : NULL;
}

static struct expr *bind_between(struct binder *b, const struct sql_node *n)
{
    struct expr *x = bind_expression(b, n->part[0]);
    struct expr *low = x ? bind_expression(b, n->part[1]) : NULL;
    struct expr *high = low ? bind_expression(b, n->part[2]) : NULL;
    return binary(b, EXPR_AND, binary(b, EXPR_GE, x, low), binary(b, EXPR_LE, x, high));
}

static struct expr *bind_like(struct binder *b, const struct sql_node *n)
{
    bool like = n->op == SQL_OP_LIKE || n->op == SQL_OP_NOT_LIKE;
    bool glob = n->op == SQL_OP_GLOB || n->op == SQL_OP_NOT_GLOB;
    struct expr *x = (like || glob) && !n->part[2] ? bind_expression(b, n->part[0]) : NULL;
    return x ? match(b, like ? EXPR_LIKE : EXPR_GLOB, x, bind_expression(b, n->part[1])) : NULL;
}

static struct expr *bind_any(struct binder *b, const struct sql_node *n)
{
    switch (n->kind) {
    case SQL_LITERAL:
        return bind_literal(b, n);
    case SQL_COLUMN:
        return bind_column(b, n);
    case SQL_VARIABLE:
        return bind_variable(b, n);
    case SQL_PARENTHESES:
        return n->part[0]->count == 1 ? bind_expression(b, n->part[0]->part[0]) : NULL;
    case SQL_SUBQUERY:
        return bind_value_of_select(b, n->part[0]);
    case SQL_EXISTS:
        return bind_exists(b, n->part[0]);
    case SQL_CASE:
        return bind_case(b, n);
    case SQL_CAST:
        return bind_cast(b, n);
    case SQL_CALL:
        return bind_call(b, n);
    case SQL_UNARY:
        return bind_unary(b, n);
    case SQL_POSTFIX:
        return unary(b, n->op == SQL_OP_ISNULL ? EXPR_IS_NULL : EXPR_NOT_NULL,
                     bind_expression(b, n->part[0]));
    case SQL_BINARY:
        return bind_binary(b, n);
    case SQL_LIKE:
        return negated(b, bind_like(b, n), n->op == SQL_OP_NOT_LIKE || n->op == SQL_OP_NOT_GLOB);
    case SQL_BETWEEN:
        return negated(b, bind_between(b, n), n->op == SQL_OP_NOT_BETWEEN);
    case SQL_IN:
        return negated(b, bind_in(b, n), n->op == SQL_OP_NOT_IN);
    default:
        return NULL;
    }
}

/* Nodes nest up to SQL_TREE_DEPTH deep; what a chain of operators becomes is bounded when it is
 * made, of all else no more than DEPTH_MAX are tried. */
struct expr *bind_expression(struct binder *b, const struct sql_node *n)
{
    bool nests = n->kind != SQL_BINARY && n->kind != SQL_COLUMN && n->kind != SQL_LITERAL;
    b->depth += nests;
    struct expr *e = b->depth <= DEPTH_MAX ? bind_any(b, n) : NULL;
    b->depth -= nests;
    if (!e)
        refusal_of_node(b->environment, b->tokens, n);
    return b->plan->refused ? NULL : e;
}
