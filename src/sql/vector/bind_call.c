#include "core/stored_columns.h"
#include "core/time.h"
#include "core/trace.h"
#include "sql/vector/aggregate.h"
#include "sql/vector/bind_expression.h"
#include "sql/vector/evaluate.h"
#include "sql/vector/window.h"

static const struct {
    struct str name;
    enum aggregate_kind kind;
} aggregate_names[] = {
    {{"count", 5}, AGGREGATE_COUNT},
    {{"sum", 3}, AGGREGATE_SUM},
    {{"total", 5}, AGGREGATE_TOTAL},
    {{"avg", 3}, AGGREGATE_AVG},
    {{"min", 3}, AGGREGATE_MIN},
    {{"max", 3}, AGGREGATE_MAX},
    {{"group_concat", 12}, AGGREGATE_CONCAT},
};

static bool find_aggregate(struct str name, enum aggregate_kind *kind)
{
    for (size_t i = 0; i < sizeof aggregate_names / sizeof *aggregate_names; i++)
        if (same_name(aggregate_names[i].name, name)) {
            *kind = aggregate_names[i].kind;
            return true;
        }
    return false;
}

static bool argument_fits(const struct aggregate *a)
{
    switch (a->kind) {
    case AGGREGATE_COUNT_ROWS:
        return true;
    case AGGREGATE_SUM:
    case AGGREGATE_TOTAL:
    case AGGREGATE_AVG:
        return expr_is_number(a->arg);
    case AGGREGATE_PERCENTILE:
        return expr_is_number(a->arg) && !a->distinct;
    case AGGREGATE_CONCAT:
        return expr_joins_texts(a->arg) && !a->distinct;
    case AGGREGATE_COUNT:
    case AGGREGATE_MIN:
    case AGGREGATE_MAX:
    case AGGREGATE_FIRST:
        break;
    }
    return a->arg->type != VALUE_NULL;
}

static uint32_t aggregate_number(struct select *s, struct aggregate a)
{
    for (uint32_t i = 0; i < s->aggregates.count; i++) {
        const struct aggregate *o = &s->aggregates.items[i];
        bool same = o->kind == a.kind && o->distinct == a.distinct && !o->arg == !a.arg &&
                    !o->filter == !a.filter && o->part == a.part && o->between == a.between &&
                    o->separator == a.separator;
        if (same && (!a.arg || expr_same(a.arg, o->arg)) &&
            (!a.filter || expr_same(a.filter, o->filter)))
            return i;
    }
    *vec_push(&s->aggregates) = a;
    return (uint32_t)s->aggregates.count - 1;
}

static struct expr *bind_filter(struct binder *b, struct reader *r)
{
    if (!reader_accept_char(r, '(') || !reader_accept(r, "WHERE"))
        return NULL;
    bool aggregates = b->aggregates, windows = b->windows;
    b->aggregates = b->windows = false;
    struct expr *e = bind_expression(b, r);
    b->aggregates = aggregates;
    b->windows = windows;
    return e && e->type == VALUE_INT && reader_accept_char(r, ')') ? e : NULL;
}

/* min(a, b, ...) of a row: the reader stands behind the first one. */
static struct expr *bind_extreme(struct binder *b, struct reader *r, struct expr *first, bool least)
{
    struct expr *args[LIST_MAX] = {first};
    uint32_t n = 1;
    while (reader_accept_char(r, ',')) {
        args[n] = n + 1 < LIST_MAX ? bind_expression(b, r) : NULL;
        if (!args[n] || args[n]->type != VALUE_INT)
            return NULL;
        n++;
    }
    if (!first || first->type != VALUE_INT || !reader_accept_char(r, ')'))
        return NULL;
    return expr_node(b, least ? EXPR_LEAST : EXPR_GREATEST, VALUE_INT, args, n);
}

/* An aggregate's call from its parenthesis on. */
static struct expr *bind_call_end(struct binder *b, struct reader *r, struct aggregate a)
{
    bool windows = a.kind < AGGREGATE_FIRST && !a.distinct;
    if (!reader_accept_char(r, ')') || !argument_fits(&a))
        return NULL;
    if (reader_accept(r, "FILTER") && !(a.filter = bind_filter(b, r)))
        return NULL;
    if (reader_accept(r, "OVER"))
        return !windows || a.filter ? NULL
                                    : bind_window(b, r,
                                                  (struct window_call){.kind = WINDOW_AGGREGATE,
                                                                       .aggregate = a.kind,
                                                                       .arg = a.arg});
    if (!b->aggregates)
        return NULL;
    struct expr *e = expr_new(b->plan, EXPR_AGGREGATE, aggregate_type(&a), 0);
    e->column = aggregate_number(b->select, a);
    return e;
}

/* group_concat(x, 'between them'): the reader stands behind x. */
static bool bind_separator(struct binder *b, struct reader *r, struct aggregate *a)
{
    struct expr *e =
        reader_accept_char(r, ',') ? bind_expression(b, r) : expr_text(b->plan, STR(","));
    if (!e || e->op != EXPR_CONST || e->type != VALUE_TEXT)
        return false;
    a->separator = e->text;
    return true;
}

static struct expr *bind_aggregate(struct binder *b, struct reader *r, struct aggregate a)
{
    bool aggregates = b->aggregates, windows = b->windows;
    a.distinct = reader_accept(r, "DISTINCT");
    bool rows = a.kind == AGGREGATE_COUNT && !a.distinct && token_is(reader_peek(r), ')');
    bool star = rows || (a.kind == AGGREGATE_COUNT && !a.distinct && reader_accept_char(r, '*'));
    if (star)
        a.kind = AGGREGATE_COUNT_ROWS;
    b->aggregates = b->windows = false;
    a.arg = star ? NULL : bind_expression(b, r);
    b->aggregates = aggregates;
    b->windows = windows;
    bool best = a.kind == AGGREGATE_MIN || a.kind == AGGREGATE_MAX;
    if (best && !a.distinct && token_is(reader_peek(r), ','))
        return bind_extreme(b, r, a.arg, a.kind == AGGREGATE_MIN);
    if ((!star && !a.arg) || (a.kind == AGGREGATE_CONCAT && !bind_separator(b, r, &a)))
        return NULL;
    return bind_call_end(b, r, a);
}

static struct expr *bind_window_function(struct binder *b, struct reader *r,
                                         struct window_call call)
{
    bool shifts = call.kind == WINDOW_LAG || call.kind == WINDOW_LEAD, windows = b->windows;
    bool aggregates = b->aggregates;
    call.offset = 1;
    b->windows = b->aggregates = false;
    if (shifts && (!(call.arg = bind_expression(b, r)) || call.arg->type == VALUE_NULL))
        return NULL;
    if (shifts && reader_accept_char(r, ',')) {
        struct expr *n = bind_expression(b, r);
        if (!n || n->op != EXPR_CONST || n->type != VALUE_INT || n->number < 0 ||
            n->number > INT32_MAX)
            return NULL;
        call.offset = (uint32_t)n->number;
        if (reader_accept_char(r, ',') &&
            (!(call.fallback = bind_expression(b, r)) || call.fallback->type != call.arg->type))
            return NULL;
    }
    b->windows = windows;
    b->aggregates = aggregates;
    if (!reader_accept_char(r, ')') || !reader_accept(r, "OVER"))
        return NULL;
    return bind_window(b, r, call);
}

/* percentile(x, p), where p is a part of `whole`. */
static struct expr *bind_percentile(struct binder *b, struct reader *r, double whole, bool between)
{
    struct aggregate a = {.kind = AGGREGATE_PERCENTILE, .between = between};
    bool aggregates = b->aggregates, windows = b->windows;
    b->aggregates = b->windows = false;
    a.arg = bind_expression(b, r);
    struct expr *part = reader_accept_char(r, ',') ? bind_expression(b, r) : NULL;
    b->aggregates = aggregates;
    b->windows = windows;
    if (!a.arg || !part || part->op != EXPR_CONST || !expr_is_number(part))
        return NULL;
    a.part = (part->type == VALUE_INT ? (double)part->number : part->real) / whole;
    return a.part >= 0 && a.part <= 1 ? bind_call_end(b, r, a) : NULL;
}

static struct expr *bind_median(struct binder *b, struct reader *r)
{
    struct aggregate a = {.kind = AGGREGATE_PERCENTILE, .part = 0.5, .between = true};
    bool aggregates = b->aggregates, windows = b->windows;
    b->aggregates = b->windows = false;
    a.arg = bind_expression(b, r);
    b->aggregates = aggregates;
    b->windows = windows;
    return a.arg ? bind_call_end(b, r, a) : NULL;
}

enum { ARG_SAMPLES = 128 };

/* The type of a key's values in the sets of a column, of which some are looked at. */
static enum value_type type_of_arg(struct binder *b, const struct expr *set, string_id key)
{
    const struct sql_table *t = b->select->from.tables[set->table].stored;
    enum value_type type = VALUE_NULL;
    if (!t || !stored_table_ready(b->plan->session->trace, t->table))
        return VALUE_NULL;
    const struct column *c = &t->table->columns[set->column];
    uint32_t step = t->table->rows / ARG_SAMPLES + 1;
    for (uint64_t at = 0; c->data && type == VALUE_NULL && at < t->table->rows; at += step) {
        uint32_t row = (uint32_t)at;
        const struct arg *a =
            column_is_null(c, row) ? NULL : evaluate_arg(b->plan, column_int(c, row), key);
        type = a ? evaluate_arg_type(a) : VALUE_NULL;
    }
    return type;
}

static struct expr *bind_extract_arg(struct binder *b, struct reader *r)
{
    struct expr *set = bind_expression(b, r);
    struct expr *key = reader_accept_char(r, ',') ? bind_expression(b, r) : NULL;
    if (!set || !key || key->op != EXPR_CONST || key->type != VALUE_TEXT ||
        set->op != EXPR_COLUMN || set->type != VALUE_INT || !reader_accept_char(r, ')'))
        return NULL;
    enum value_type type = type_of_arg(b, set, key->text);
    if (type == VALUE_NULL)
        return NULL;
    return expr_node(b, EXPR_ARG, type, (struct expr *[]){set, key}, 2);
}

static struct expr *bind_coalesce(struct binder *b, struct reader *r, bool two)
{
    struct expr *args[LIST_MAX];
    uint32_t n = 0;
    enum value_type type = VALUE_NULL;
    do {
        args[n] = n + 1 < LIST_MAX ? bind_expression(b, r) : NULL;
        if (!args[n] || !expr_join_type(&type, args[n]->type))
            return NULL;
        n++;
    } while (reader_accept_char(r, ','));
    if (!reader_accept_char(r, ')') || type == VALUE_NULL || n < 2 || (two && n != 2))
        return NULL;
    return expr_node(b, EXPR_COALESCE, type, args, n);
}

static struct expr *bind_iif(struct binder *b, struct reader *r)
{
    struct expr *args[3];
    for (uint32_t i = 0; i < 3; i++) {
        if (i > 0 && !reader_accept_char(r, ','))
            return NULL;
        if (!(args[i] = bind_expression(b, r)))
            return NULL;
    }
    enum value_type type = args[1]->type;
    if (!expr_join_type(&type, args[2]->type) || type == VALUE_NULL || args[0]->type != VALUE_INT)
        return NULL;
    return reader_accept_char(r, ')') ? expr_node(b, EXPR_CASE, type, args, 3) : NULL;
}

/* A function of one integer that gives one. */
static struct expr *bind_of_int(struct binder *b, struct reader *r, enum expr_op op)
{
    struct expr *x = bind_expression(b, r);
    if (!x || x->type != VALUE_INT || !reader_accept_char(r, ')'))
        return NULL;
    return expr_node(b, op, VALUE_INT, &x, 1);
}

/* The times of the trace, which do not change. */
static struct expr *bind_time(struct binder *b, struct reader *r, int64_t time)
{
    return reader_accept_char(r, ')') ? expr_int(b->plan, time) : NULL;
}

/* The reader stands behind the parenthesis. */
struct expr *bind_call(struct binder *b, struct reader *r, struct str name)
{
    struct aggregate a = {0};
    if (b->environment->function_is_taken(b->plan->session, name))
        return NULL;
    if (find_aggregate(name, &a.kind))
        return bind_aggregate(b, r, a);
    if (same_name(name, STR("percentile")))
        return bind_percentile(b, r, 100, true);
    if (same_name(name, STR("percentile_cont")))
        return bind_percentile(b, r, 1, true);
    if (same_name(name, STR("percentile_disc")))
        return bind_percentile(b, r, 1, false);
    if (same_name(name, STR("median")))
        return bind_median(b, r);
    if (same_name(name, STR("row_number")))
        return bind_window_function(b, r, (struct window_call){.kind = WINDOW_ROW_NUMBER});
    if (same_name(name, STR("rank")))
        return bind_window_function(b, r, (struct window_call){.kind = WINDOW_RANK});
    if (same_name(name, STR("dense_rank")))
        return bind_window_function(b, r, (struct window_call){.kind = WINDOW_DENSE_RANK});
    if (same_name(name, STR("lag")))
        return bind_window_function(b, r, (struct window_call){.kind = WINDOW_LAG});
    if (same_name(name, STR("lead")))
        return bind_window_function(b, r, (struct window_call){.kind = WINDOW_LEAD});
    if (same_name(name, STR("coalesce")) || same_name(name, STR("ifnull")))
        return bind_coalesce(b, r, same_name(name, STR("ifnull")));
    if (same_name(name, STR("iif")))
        return bind_iif(b, r);
    if (same_name(name, STR("abs")))
        return bind_of_int(b, r, EXPR_ABS);
    if (same_name(name, STR("__intrinsic_thread_state_end")))
        return bind_of_int(b, r, EXPR_STATE_END);
    if (same_name(name, STR("extract_arg")))
        return bind_extract_arg(b, r);
    const struct trace *t = b->plan->session->trace;
    if (same_name(name, STR("trace_start")))
        return bind_time(b, r, t->start_ts);
    if (same_name(name, STR("trace_end")))
        return bind_time(b, r, t->end_ts);
    if (same_name(name, STR("trace_dur")))
        return bind_time(b, r, time_minus(t->end_ts, t->start_ts));
    return NULL;
}
