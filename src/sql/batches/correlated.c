#include "sql/batches/aggregate.h"
#include "sql/batches/operations.h"
#include "sql/batches/output.h"
#include "sql/batches/source.h"

void correlated_release(struct correlated *l)
{
    for (uint32_t k = 0; k < CORRELATED_KEYS; k++) {
        dictionary_release(&l->numbers[k]);
        dictionary_release(&l->pairs[k]);
        dictionary_release(&l->asked[k]);
    }
    relation_free(l->nothing);
}

/* Rows are different in their keys: each gets its own number. */
static void number_rows(struct plan *p, struct correlated *l)
{
    const struct table *rows = &l->select->result->table;
    uint32_t first = (uint32_t)l->select->outputs.count - l->keys;
    for (uint32_t row = 0; row < rows->rows && plan_goes_on_at(p, row); row++) {
        uint32_t number = 0;
        for (uint32_t k = 0; k < l->keys; k++) {
            const struct column *c = &rows->columns[first + k];
            uint32_t own = relation_is_null(c, row)
                               ? dictionary_null(&l->numbers[k])
                               : dictionary_number(&l->numbers[k], relation_bits(c, row));
            number = k ? dictionary_number(&l->pairs[k], pair_key(number, own)) : own;
        }
        p->refused |= number != row;
    }
}

/* What aggregates make of no rows becomes the SELECT's stage of one row. */
static bool make_nothing(struct plan *p, struct correlated *l)
{
    const struct select *s = l->select;
    uint32_t keys = (uint32_t)s->keys.v.count, count = (uint32_t)s->aggregates.count;
    uint64_t zero[1] = {0};
    l->nothing = relation_new(keys + count);
    for (uint32_t i = 0; i < keys + count; i++) {
        enum value_type type =
            i < keys ? s->keys.v.items[i]->type : aggregate_type(&s->aggregates.items[i - keys]);
        relation_set_type(l->nothing, i, column_type_of(type));
    }
    if (!relation_reserve(l->nothing, 1)) {
        p->stopped = true;
        return false;
    }
    for (uint32_t i = 0; i < keys + count; i++) {
        uint8_t null = i < keys || !aggregate_kinds[s->aggregates.items[i - keys].kind].of_nothing;
        string_id none = NULL_STRING;
        bool text = l->nothing->defs[i].type == COLUMN_TYPE_STR;
        relation_put(l->nothing, i, text ? (const void *)&none : zero, &null, 1);
    }
    l->nothing->table.rows = 1;
    return true;
}

/* The value where there are no rows. */
static void find_value_of_nothing(struct plan *p, struct correlated *l, enum value_type type)
{
    struct plan_source from = {0};
    struct batch one = {.n = 1, .serial = plan_next_batch(p)};
    l->none_is_null = true;
    if (l->exists || !l->aggregates || !make_nothing(p, l))
        return;
    source_of_rows(&from, &l->nothing->table);
    struct values v = evaluate(p, &from, l->select->outputs.items[0].expr, &one);
    l->none_is_null = value_is_null(v, type, 0);
    if (!l->none_is_null)
        l->none = value_bits(v, type, 0);
}

/* All keys that will be asked for are those of the batch: for few of them, most rows of the
 * subquery need no group. */
static void restrict_keys(struct correlated *l, const struct expr *e, const struct values *keys,
                          uint32_t n)
{
    for (uint32_t k = 0; k < l->keys; k++)
        for (uint32_t i = 0; i < n; i++)
            if (!value_is_null(keys[k], e->args[k]->type, i))
                (void)dictionary_number(&l->asked[k], value_bits(keys[k], e->args[k]->type, i));
    l->restricted = true;
    l->select->asked = l->asked;
}

/* Whether the subquery has seen the rows of these keys. */
static bool are_asked(const struct correlated *l, const struct expr *e, const struct values *keys,
                      uint32_t n)
{
    bool all = true;
    for (uint32_t k = 0; k < l->keys; k++)
        for (uint32_t i = 0; all && i < n; i++)
            all = value_is_null(keys[k], e->args[k]->type, i) ||
                  dictionary_find(&l->asked[k], value_bits(keys[k], e->args[k]->type, i)) !=
                      UINT32_MAX;
    return all;
}

static bool prepare(struct plan *p, struct correlated *l, enum value_type type)
{
    if (!l->ran) {
        l->ran = true;
        if (!output_keep(p, l->select))
            p->stopped |= !p->refused; /* without memory */
        else
            number_rows(p, l);
        if (!p->refused && !p->stopped)
            find_value_of_nothing(p, l, type);
    }
    return !p->refused && !p->stopped;
}

/* The row for value i of the keys; UINT32_MAX for none. */
static uint32_t row_of(const struct correlated *l, const struct expr *e, const struct values *keys,
                       uint32_t i)
{
    uint32_t number = 0;
    for (uint32_t k = 0; k < l->keys; k++) {
        enum value_type type = e->args[k]->type;
        if (value_is_null(keys[k], type, i))
            return UINT32_MAX;
        uint32_t own = dictionary_find(&l->numbers[k], value_bits(keys[k], type, i));
        if (own == UINT32_MAX)
            return own;
        number = k ? dictionary_find(&l->pairs[k], pair_key(number, own)) : own;
        if (number == UINT32_MAX)
            return number;
    }
    return number;
}

static void put_value(const struct correlated *l, struct expr *e, uint32_t i, uint32_t row)
{
    const struct column *c = &l->select->result->table.columns[0];
    bool found = row != UINT32_MAX;
    uint64_t value = l->none;
    bool null = l->none_is_null;
    if (l->exists) {
        value = found;
        null = false;
    } else if (found) {
        null = relation_is_null(c, row);
        value = relation_bits(c, row);
    }
    value_put(e, i, null, value);
}

struct values operate_correlated(struct plan *p, const struct plan_source *from, struct expr *e,
                                 const struct batch *b)
{
    struct values keys[CORRELATED_KEYS];
    (void)all_null(e, b->n);
    for (uint32_t k = 0; k < e->correlated->keys; k++)
        keys[k] = evaluate(p, from, e->args[k], b);
    if (b->only && !e->correlated->ran)
        restrict_keys(e->correlated, e, keys, b->n);
    else if (e->correlated->restricted)
        p->refused |= !are_asked(e->correlated, e, keys, b->n);
    if (prepare(p, e->correlated, e->type))
        for (uint32_t i = 0; i < b->n; i++)
            put_value(e->correlated, e, i, row_of(e->correlated, e, keys, i));
    return values_put(e, b->n);
}
