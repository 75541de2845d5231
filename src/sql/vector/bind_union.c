#include "sql/vector/bind_expression.h"
#include "sql/vector/refusal.h"
#include "sql/batches/evaluate.h"

enum { UNION_MAX = 16, AFFINITY_OF_FIRST = 3041000, AFFINITY_OF_ANY = 3046000 };

bool bind_is_union(const struct sql_node *select)
{
    return sql_is(select, SQL_SELECT) && sql_is(select->part[SELECT_BODY], SQL_COMPOUND);
}

/* NULL as a value of that type. */
static struct expr *typed_null(struct plan *p, enum value_type type)
{
    struct expr *e = expr_new(p, EXPR_CASE, type, 2); /* WHEN 0 */
    e->args[0] = expr_int(p, 0);
    e->args[1] = type == VALUE_TEXT ? expr_text(p, STR("")) : expr_new(p, EXPR_CONST, type, 0);
    return expr_measure(e) ? e : NULL;
}

/* The type that the values of a column have in all of the SELECTs, but for those that say NULL;
 * VALUE_NULL where there is none. */
static enum value_type type_of_all(const struct select *s, uint32_t column)
{
    enum value_type type = VALUE_NULL;
    for (size_t i = 0; i < s->parts.count; i++)
        if (!expr_join_type(&type, s->parts.items[i]->outputs.items[column].expr->type))
            return VALUE_NULL;
    return type;
}

static bool give_type(struct plan *p, struct select *s, uint32_t column, enum value_type type)
{
    for (size_t i = 0; i < s->parts.count; i++) {
        struct output *o = &s->parts.items[i]->outputs.items[column];
        if (o->expr->type == VALUE_NULL)
            o->expr = typed_null(p, type);
        if (!o->expr)
            return false;
    }
    return type != VALUE_NULL;
}

static bool bind_arm(struct binder *b, const struct sql_node *arm)
{
    struct select *s = b->select, *part = NULL;
    bool all = s->parts.count == 0 || arm->op == SQL_OP_UNION_ALL;
    b->plan->refused |= ++b->plan->queries > QUERIES_MAX;
    if (!b->plan->refused && s->parts.count < UNION_MAX && all)
        part = bind_select(b, arm->part[0], b->use == USE_LIST ? USE_LIST : USE_UNION);
    if (!part)
        return false;
    *vec_push(&s->parts) = part;
    return part->outputs.count == s->parts.items[0]->outputs.count;
}

/* A column's affinity is that of the first SELECT; since some version that of the first that has
 * one, unless another's values may be of kinds that it does not fit, and of a cast another one.
 * '?' where that cannot be told. */
static char affinity_of(const struct select *s, uint32_t column)
{
    char first = s->parts.items[0]->outputs.items[column].affinity, any = first;
    uint8_t kinds = 0;
    bool casts = false;
    for (size_t i = 0; i < s->parts.count; i++) {
        const struct output *o = &s->parts.items[i]->outputs.items[column];
        casts |= o->expr->op == EXPR_TO_INT || o->expr->op == EXPR_TO_REAL;
        any = any == 'n' ? o->affinity : any;
        kinds |= o->kinds;
    }
    if (any == 'n' || sqlite3_libversion_number() < AFFINITY_OF_FIRST)
        return first;
    if (kinds & (any == 't' ? KIND_NUMBER : KIND_TEXT))
        return 'n';
    bool told = first == any || sqlite3_libversion_number() >= AFFINITY_OF_ANY;
    return told && !casts && !(kinds & KINDS_UNKNOWN) ? any : '?';
}

bool bind_union(struct binder *b, const struct sql_node *select)
{
    struct select *s = b->select;
    const struct sql_node *arms = select->part[SELECT_BODY];
    for (uint32_t i = 0; i < arms->count; i++)
        if (!bind_arm(b, arms->part[i]))
            return false;
    s->kind = SELECT_UNION;
    const struct select *first = s->parts.items[0];
    for (uint32_t i = 0; i < first->outputs.count; i++) {
        enum value_type type = type_of_all(s, i);
        if (!give_type(b->plan, s, i, type)) {
            refusal_because(b->environment, "UNION ALL of values of different types");
            return false;
        }
        struct output o = first->outputs.items[i];
        o.expr = expr_column(b->plan, 0, i, type);
        o.affinity = affinity_of(s, i);
        if (o.affinity == '?' && b->environment->is_part)
            return false;
        *vec_push(&s->outputs) = o;
    }
    return bind_ending(b, select->part[SELECT_ORDER], select->part[SELECT_LIMIT]);
}
