#include "sql/batches/operations.h"
#include "sql/batches/output.h"

/* The only column of the rows; NULL where the plan does not go on. */
static const struct column *rows_of(struct plan *p, struct uncorrelated *a, bool *fresh)
{
    *fresh = !a->ran;
    a->ran = true;
    if (*fresh && !output_keep(p, a->select))
        p->stopped |= !p->refused; /* without memory */
    return p->refused || p->stopped ? NULL : &a->select->result->table.columns[0];
}

static void collect(struct plan *p, struct uncorrelated *a, const struct column *c)
{
    uint32_t rows = a->select->result->table.rows;
    for (uint32_t row = 0; row < rows && plan_goes_on_at(p, row); row++) {
        if (relation_is_null(c, row))
            a->has_null = true;
        else
            (void)dictionary_number(&a->members, relation_bits(c, row));
    }
}

/* NULL among others is NULL, and what is not found among some of which one is NULL. */
struct values operate_in_rows(struct plan *p, struct expr *e, struct values a, uint32_t n)
{
    struct uncorrelated *uncorrelated = e->uncorrelated;
    enum value_type type = e->args[0]->type;
    bool fresh;
    const struct column *c = rows_of(p, uncorrelated, &fresh);
    int64_t *out = e->buffer;
    (void)all_null(e, n);
    if (fresh && c)
        collect(p, uncorrelated, c);
    bool empty = !c || uncorrelated->select->result->table.rows == 0;
    for (uint32_t i = 0; i < n && c; i++) {
        bool null = value_is_null(a, type, i);
        out[i] =
            !null && dictionary_find(&uncorrelated->members, value_bits(a, type, i)) != UINT32_MAX;
        e->null_buffer[i] = !empty && !out[i] && (null || uncorrelated->has_null);
    }
    return values_put(e, n);
}

struct values operate_value(struct plan *p, struct expr *e, uint32_t n)
{
    bool fresh;
    const struct column *c = rows_of(p, e->uncorrelated, &fresh);
    (void)all_null(e, n);
    if (!c || e->uncorrelated->select->result->table.rows == 0 || relation_is_null(c, 0))
        return values_put(e, n);
    uint64_t value = relation_bits(c, 0);
    for (uint32_t i = 0; i < n; i++)
        value_put(e, i, false, value);
    return values_put(e, n);
}
