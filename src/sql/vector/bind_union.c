#include "sql/vector/bind.h"
#include "sql/vector/evaluate.h"

enum { UNION_MAX = 16, AFFINITY_OF_FIRST = 3041000, AFFINITY_OF_ANY = 3046000 };

/* Where the next of the words stands outside of parentheses, or the end. */
static uint32_t next_word(struct reader r, const char *word)
{
    int depth = 0;
    for (; r.at < r.end; r.at++) {
        struct token t = r.words->items[r.at];
        depth += token_is(t, '(') - token_is(t, ')');
        if (depth == 0 && token_is_word(t, word))
            break;
    }
    return r.at;
}

bool bind_is_union(struct reader r)
{
    return next_word(r, "UNION") < r.end;
}

/* Whether values of the SELECT's columns are of the types of the first one's. */
static bool has_same_types(const struct select *a, const struct select *b)
{
    bool same = a->outputs.count == b->outputs.count;
    for (size_t i = 0; same && i < a->outputs.count; i++)
        same = a->outputs.items[i].expr->type == b->outputs.items[i].expr->type;
    return same;
}

static bool bind_part(struct binder *b, struct reader r)
{
    struct select *s = b->select;
    struct select *part = NULL;
    b->plan->refused |= ++b->plan->queries > QUERIES_MAX;
    if (!b->plan->refused && s->parts.count < UNION_MAX && !token_is_word(reader_peek(&r), "WITH"))
        part = bind_select(b, r, b->use == USE_LIST ? USE_LIST : USE_UNION);
    if (!part || part->order.v.count > 0 || part->limit < UINT64_MAX)
        return false;
    *vec_push(&s->parts) = part;
    return has_same_types(s->parts.items[0], part);
}

/* All SELECTs; the reader is then behind the last one. */
static bool bind_parts(struct binder *b, struct reader *r)
{
    for (;;) {
        struct reader part = *r;
        part.end = next_word(part, "UNION");
        bool last = part.end == r->end;
        if (last)
            part.end = next_word(part, "ORDER");
        if (part.end == r->end)
            part.end = next_word(part, "LIMIT");
        r->at = part.end;
        if (!bind_part(b, part))
            return false;
        if (last)
            return true;
        r->at++;
        if (!reader_accept(r, "ALL"))
            return false;
    }
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

bool bind_union(struct binder *b, struct reader r)
{
    struct select *s = b->select;
    struct clauses ending = {0};
    if (!bind_parts(b, &r))
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
    uint32_t limit = next_word(r, "LIMIT");
    ending.has[CLAUSE_ORDER] = r.at < limit;
    ending.at[CLAUSE_ORDER] = (struct reader){r.words, r.at + 1, limit};
    ending.has[CLAUSE_LIMIT] = limit < r.end;
    ending.at[CLAUSE_LIMIT] = (struct reader){r.words, limit + 1, r.end};
    return bind_ending(b, &ending);
}
