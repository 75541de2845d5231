#include "core/settled_args.h"
#include "core/stored_columns.h"
#include "core/time.h"
#include "core/trace.h"
#include "sql/engine/statistics.h"
#include "sql/vector/aggregate.h"
#include "sql/vector/bind_expression.h"
#include "sql/vector/evaluate.h"
#include "sql/vector/window.h"

enum call_kind {
    CALL_AGGREGATE,
    CALL_STATISTIC,
    CALL_PERCENTILE,
    CALL_WINDOW,
    CALL_COALESCE,
    CALL_IIF,
    CALL_OF_INT,
    CALL_EXTRACT_ARG,
    CALL_TIME,
    CALL_SQLITE
};

enum trace_time { TRACE_START, TRACE_END, TRACE_DUR };
enum percentile_kind { OF_HUNDRED, OF_ONE, DISCRETE, MEDIAN };

struct known_call {
    const char *name;
    enum call_kind kind;
    int which; /* of its kind */
};

static const struct known_call known_calls[] = {
    {"percentile", CALL_PERCENTILE, OF_HUNDRED},
    {"percentile_cont", CALL_PERCENTILE, OF_ONE},
    {"percentile_disc", CALL_PERCENTILE, DISCRETE},
    {"median", CALL_PERCENTILE, MEDIAN},
    {"row_number", CALL_WINDOW, WINDOW_ROW_NUMBER},
    {"rank", CALL_WINDOW, WINDOW_RANK},
    {"dense_rank", CALL_WINDOW, WINDOW_DENSE_RANK},
    {"ntile", CALL_WINDOW, WINDOW_NTILE},
    {"percent_rank", CALL_WINDOW, WINDOW_PERCENT_RANK},
    {"cume_dist", CALL_WINDOW, WINDOW_CUME_DIST},
    {"first_value", CALL_WINDOW, WINDOW_FIRST_VALUE},
    {"last_value", CALL_WINDOW, WINDOW_LAST_VALUE},
    {"lag", CALL_WINDOW, WINDOW_LAG},
    {"lead", CALL_WINDOW, WINDOW_LEAD},
    {"coalesce", CALL_COALESCE, false},
    {"ifnull", CALL_COALESCE, true},
    {"iif", CALL_IIF, 0},
    {"abs", CALL_OF_INT, EXPR_ABS},
    {"__intrinsic_thread_state_end", CALL_OF_INT, EXPR_STATE_END},
    {"extract_arg", CALL_EXTRACT_ARG, 0},
    {"trace_start", CALL_TIME, TRACE_START},
    {"trace_end", CALL_TIME, TRACE_END},
    {"trace_dur", CALL_TIME, TRACE_DUR},
};

static bool is_called(const char *function, struct str name)
{
    return compare_any_case_n(function, name.p, name.n) == 0 && strlen(function) == name.n;
}

/* False where there is no function of that name here. */
static bool find_call(struct str name, struct known_call *out)
{
    for (size_t i = 0; i < sizeof known_calls / sizeof *known_calls; i++)
        if (is_called(known_calls[i].name, name)) {
            *out = known_calls[i];
            return true;
        }
    for (int i = 0; i < AGGREGATES; i++)
        if (aggregate_kinds[i].name && is_called(aggregate_kinds[i].name, name)) {
            *out = (struct known_call){.kind = CALL_AGGREGATE, .which = i};
            return true;
        }
    if (statistic_find(name)) {
        *out = (struct known_call){.kind = CALL_STATISTIC};
        return true;
    }
    for (uint32_t i = 0; sqlite_call_name(i); i++)
        if (is_called(sqlite_call_name(i), name)) {
            *out = (struct known_call){sqlite_call_name(i), CALL_SQLITE, (int)i};
            return true;
        }
    return false;
}

bool bind_knows_call(struct str name, bool *is_aggregate)
{
    struct known_call known;
    bool found = find_call(name, &known);
    *is_aggregate = found && known.kind <= CALL_PERCENTILE;
    return found;
}

bool vector_is_aggregate(struct str name)
{
    bool is_aggregate;
    bind_knows_call(name, &is_aggregate);
    return is_aggregate;
}

static bool argument_fits(const struct aggregate *a)
{
    const struct aggregate_kind *kind = &aggregate_kinds[a->kind];
    if (a->distinct && !kind->simple)
        return false;
    switch (kind->argument) {
    case OF_NUMBERS:
        return expr_is_number(a->arg) && (!a->other || expr_is_number(a->other));
    case OF_TEXTS:
        return expr_joins_texts(a->arg);
    case OF_VALUES:
        break;
    }
    return !a->arg || a->arg->type != VALUE_NULL;
}

static uint32_t number_of_aggregate(struct select *s, struct aggregate a)
{
    for (uint32_t i = 0; i < s->aggregates.count; i++) {
        const struct aggregate *o = &s->aggregates.items[i];
        bool same = o->kind == a.kind && o->distinct == a.distinct && !o->arg == !a.arg &&
                    !o->filter == !a.filter && o->part == a.part && o->between == a.between &&
                    o->separator == a.separator && o->statistic == a.statistic &&
                    (!a.other || expr_same(a.other, o->other));
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
    struct expr *e = bind_plain(b, r);
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
    bool windows = aggregate_kinds[a.kind].simple && !a.distinct;
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
    e->column = number_of_aggregate(b->select, a);
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
    a.distinct = reader_accept(r, "DISTINCT");
    bool rows = a.kind == AGGREGATE_COUNT && !a.distinct && token_is(reader_peek(r), ')');
    bool star = rows || (a.kind == AGGREGATE_COUNT && !a.distinct && reader_accept_char(r, '*'));
    if (star)
        a.kind = AGGREGATE_COUNT_ROWS;
    a.arg = star ? NULL : bind_plain(b, r);
    bool best = a.kind == AGGREGATE_MIN || a.kind == AGGREGATE_MAX;
    if (best && !a.distinct && token_is(reader_peek(r), ','))
        return bind_extreme(b, r, a.arg, a.kind == AGGREGATE_MIN);
    if ((!star && !a.arg) || (a.kind == AGGREGATE_CONCAT && !bind_separator(b, r, &a)))
        return NULL;
    return bind_call_end(b, r, a);
}

static bool bind_offset(struct binder *b, struct reader *r, int64_t least, uint32_t *out)
{
    struct expr *n = bind_plain(b, r);
    if (!n || n->op != EXPR_CONST || n->type != VALUE_INT || n->number < least ||
        n->number > INT32_MAX)
        return false;
    *out = (uint32_t)n->number;
    return true;
}

static struct expr *bind_window_function(struct binder *b, struct reader *r,
                                         struct window_call call)
{
    bool shifts = call.kind == WINDOW_LAG || call.kind == WINDOW_LEAD;
    bool shows = shifts || call.kind == WINDOW_FIRST_VALUE || call.kind == WINDOW_LAST_VALUE;
    call.offset = 1;
    if (shows && (!(call.arg = bind_plain(b, r)) || call.arg->type == VALUE_NULL))
        return NULL;
    if (shifts && reader_accept_char(r, ',')) {
        if (!bind_offset(b, r, 0, &call.offset))
            return NULL;
        if (reader_accept_char(r, ',') &&
            (!(call.fallback = bind_plain(b, r)) || call.fallback->type != call.arg->type))
            return NULL;
    }
    if (call.kind == WINDOW_NTILE && !bind_offset(b, r, 1, &call.offset))
        return NULL;
    if (!reader_accept_char(r, ')') || !reader_accept(r, "OVER"))
        return NULL;
    return bind_window(b, r, call);
}

/* percentile(x, p), where p is a part of `whole`; median(x). */
static struct expr *bind_percentile(struct binder *b, struct reader *r, enum percentile_kind kind)
{
    struct aggregate a = {.kind = AGGREGATE_PERCENTILE, .part = 0.5, .between = kind != DISCRETE};
    a.arg = bind_plain(b, r);
    struct expr *part = kind != MEDIAN && reader_accept_char(r, ',') ? bind_plain(b, r) : NULL;
    if (!a.arg || (kind != MEDIAN && (!part || part->op != EXPR_CONST || !expr_is_number(part))))
        return NULL;
    if (part)
        a.part = (part->type == VALUE_INT ? (double)part->number : part->real) /
                 (kind == OF_HUNDRED ? 100 : 1);
    return a.part >= 0 && a.part <= 1 ? bind_call_end(b, r, a) : NULL;
}

static struct expr *bind_statistic(struct binder *b, struct reader *r,
                                   const struct statistic *statistic)
{
    struct aggregate a = {.kind = AGGREGATE_STATISTIC, .statistic = statistic};
    a.arg = a.other = bind_plain(b, r);
    if (statistic->arguments == 2)
        a.other = reader_accept_char(r, ',') ? bind_plain(b, r) : NULL;
    return a.arg && a.other ? bind_call_end(b, r, a) : NULL;
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
    if (!settled_args_column_ready(b->plan->session->trace, c))
        return VALUE_NULL;
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
static struct expr *bind_time(struct binder *b, struct reader *r, enum trace_time which)
{
    const struct trace *t = b->plan->session->trace;
    int64_t time = which == TRACE_START ? t->start_ts
                   : which == TRACE_END ? t->end_ts
                                        : time_minus(t->end_ts, t->start_ts);
    return reader_accept_char(r, ')') ? expr_int(b->plan, time) : NULL;
}

/* The reader stands behind the parenthesis. */
struct expr *bind_call(struct binder *b, struct reader *r, struct str name)
{
    struct known_call known, *c = &known;
    if (!find_call(name, c) || b->environment->function_is_taken(b->plan->session, name))
        return NULL;
    switch (c->kind) {
    case CALL_AGGREGATE:
        return bind_aggregate(b, r, (struct aggregate){.kind = (enum aggregate_number)c->which});
    case CALL_STATISTIC:
        return bind_statistic(b, r, statistic_find(name));
    case CALL_PERCENTILE:
        return bind_percentile(b, r, (enum percentile_kind)c->which);
    case CALL_WINDOW:
        return bind_window_function(b, r, (struct window_call){.kind = (enum window_kind)c->which});
    case CALL_COALESCE:
        return bind_coalesce(b, r, c->which);
    case CALL_IIF:
        return bind_iif(b, r);
    case CALL_OF_INT:
        return bind_of_int(b, r, (enum expr_op)c->which);
    case CALL_EXTRACT_ARG:
        return bind_extract_arg(b, r);
    case CALL_TIME:
        return bind_time(b, r, (enum trace_time)c->which);
    case CALL_SQLITE:
        return bind_sqlite_call(b, r, (uint32_t)c->which);
    }
    return NULL;
}
