#include "sql/vector/operations.h"
#include "sql/vector/output.h"

/* The only column of the rows; NULL where the plan does not go on. */
static const struct column *rows_of(struct plan *p, struct uncorrelated *a, bool *fresh)
{
    *fresh = !a->ran;
    a->ran = true;
    if (*fresh && !output_keep(p, a->select))
        p->stopped |= !p->refused; /* without memory */
    return p->refused || p->stopped ? NULL : &a->select->result->table.columns[0];
}

static bool is_null_at(const struct column *c, uint32_t row)
{
    return !c->data ||
           (c->def->type == COLUMN_TYPE_STR ? ((const string_id *)c->data)[row] == NULL_STRING
                                            : column_null_bit(c, row));
}

static uint64_t key_at(const struct column *c, uint32_t row)
{
    return c->def->type == COLUMN_TYPE_STR ? ((const string_id *)c->data)[row]
                                           : ((const uint64_t *)c->data)[row];
}

static void collect(struct plan *p, struct uncorrelated *a, const struct column *c)
{
    uint32_t rows = a->select->result->table.rows;
    for (uint32_t row = 0; row < rows && plan_goes_on_at(p, row); row++) {
        if (is_null_at(c, row))
            a->has_null = true;
        else
            (void)dictionary_number(&a->members, key_at(c, row));
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
        uint64_t key =
            type == VALUE_TEXT ? ((const string_id *)a.data)[i] : ((const uint64_t *)a.data)[i];
        out[i] = !null && dictionary_find(&uncorrelated->members, key) != UINT32_MAX;
        e->null_buffer[i] = !empty && !out[i] && (null || uncorrelated->has_null);
    }
    return values_put(e, n);
}

struct values operate_value(struct plan *p, struct expr *e, uint32_t n)
{
    bool fresh;
    const struct column *c = rows_of(p, e->uncorrelated, &fresh);
    (void)all_null(e, n);
    if (!c || e->uncorrelated->select->result->table.rows == 0 || is_null_at(c, 0))
        return values_put(e, n);
    uint64_t value = key_at(c, 0);
    memset(e->null_buffer, 0, n);
    for (uint32_t i = 0; e->type == VALUE_TEXT && i < n; i++)
        ((string_id *)e->buffer)[i] = (string_id)value;
    for (uint32_t i = 0; e->type != VALUE_TEXT && i < n; i++)
        ((uint64_t *)e->buffer)[i] = value;
    return values_put(e, n);
}
