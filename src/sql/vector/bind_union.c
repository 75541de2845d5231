#include "sql/vector/bind.h"
#include "sql/batches/evaluate.h"

enum { UNION_MAX = 16, AFFINITY_OF_FIRST = 3041000, AFFINITY_OF_ANY = 3046000 };

bool bind_is_union(const struct sql_node *select)
{
    return sql_is(select, SQL_SELECT) && sql_is(select->part[SELECT_BODY], SQL_COMPOUND);
}

/* Whether values of the SELECT's columns are of the types of the first one's. */
static bool has_same_types(const struct select *a, const struct select *b)
{
    bool same = a->outputs.count == b->outputs.count;
    for (size_t i = 0; same && i < a->outputs.count; i++)
        same = a->outputs.items[i].expr->type == b->outputs.items[i].expr->type;
    return same;
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
    return has_same_types(s->parts.items[0], part);
}

/* A column's affinity is that of the first SELECT; since some version that of the first that has
 * one, unless another's values may be of kinds that it does not fit. '?' where that cannot be told.
 */
static char affinity_of(const struct select *s, uint32_t column)
{
    char first = s->parts.items[0]->outputs.items[column].affinity, any = first;
    uint8_t kinds = 0;
    for (size_t i = 0; i < s->parts.count; i++) {
        const struct output *o = &s->parts.items[i]->outputs.items[column];
        any = any == 'n' ? o->affinity : any;
        kinds |= o->kinds;
    }
    if (any == 'n' || sqlite3_libversion_number() < AFFINITY_OF_FIRST)
        return first;
    if (kinds & (any == 't' ? KIND_NUMBER : KIND_TEXT))
        return 'n';
    bool told = first == any || sqlite3_libversion_number() >= AFFINITY_OF_ANY;
    return told && !(kinds & KINDS_UNKNOWN) ? any : '?';
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
        struct output o = first->outputs.items[i];
        o.expr = expr_column(b->plan, 0, i, o.expr->type);
        o.affinity = affinity_of(s, i);
        if (o.affinity == '?' && b->environment->is_part)
            return false;
        *vec_push(&s->outputs) = o;
    }
    return bind_ending(b, select->part[SELECT_ORDER], select->part[SELECT_LIMIT]);
}
