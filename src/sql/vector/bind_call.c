#include "core/trace/settled_args.h"
#include "core/trace/stored_columns.h"
#include "text/time.h"
#include "core/trace/trace.h"
#include "sql/values/statistics.h"
#include "sql/batches/aggregate.h"
#include "sql/vector/bind_expression.h"
#include "sql/batches/evaluate.h"

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
    {"__intrinsic_slice_stack", CALL_OF_INT, EXPR_SLICE_STACK},
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

static struct expr *bind_filter(struct binder *b, const struct sql_node *filter)
{
    struct expr *e = bind_plain(b, filter->part[0]);
    return e && e->type == VALUE_INT ? e : NULL;
}

/* min(a, b, ...) of a row. */
static struct expr *bind_extreme(struct binder *b, const struct sql_node *list, bool least)
{
    struct expr *args[LIST_MAX];
    if (list->count >= LIST_MAX)
        return NULL;
    for (uint32_t i = 0; i < list->count; i++) {
        args[i] = i == 0 ? bind_plain(b, list->part[i]) : bind_expression(b, list->part[i]);
        if (!args[i] || args[i]->type != VALUE_INT)
            return NULL;
    }
    return expr_node(b, least ? EXPR_LEAST : EXPR_GREATEST, VALUE_INT, args, list->count);
}

/* An aggregate whose arguments are read. */
static struct expr *bind_call_end(struct binder *b, const struct sql_node *call, struct aggregate a)
{
    const struct sql_node *filter = call->part[CALL_FILTER], *over = call->part[CALL_OVER];
    bool windows = aggregate_kinds[a.kind].simple && !a.distinct;
    if (!argument_fits(&a) || (filter && !(a.filter = bind_filter(b, filter))))
        return NULL;
    if (over)
        return !windows || filter ? NULL
                                  : bind_window(b, over,
                                                (struct window_call){.kind = WINDOW_AGGREGATE,
                                                                     .aggregate = a.kind,
                                                                     .arg = a.arg});
    if (!b->aggregates)
        return NULL;
    struct expr *e = expr_new(b->plan, EXPR_AGGREGATE, aggregate_type(&a), 0);
    e->column = number_of_aggregate(b->select, a);
    return e;
}

/* group_concat(x, 'between them') */
static bool bind_separator(struct binder *b, const struct sql_node *list, struct aggregate *a)
{
    struct expr *e =
        list->count > 1 ? bind_expression(b, list->part[1]) : expr_text(b->plan, STR(","));
    if (!e || e->op != EXPR_CONST || e->type != VALUE_TEXT)
        return false;
    a->separator = e->text;
    return true;
}

static struct expr *bind_aggregate(struct binder *b, const struct sql_node *call,
                                   struct aggregate a)
{
    const struct sql_node *list = call->part[CALL_ARGUMENTS];
    a.distinct = call->op == SQL_OP_DISTINCT;
    bool star = a.kind == AGGREGATE_COUNT && !a.distinct &&
                (list->count == 0 || list->part[0]->kind == SQL_STAR);
    bool best = a.kind == AGGREGATE_MIN || a.kind == AGGREGATE_MAX;
    bool alone = !a.distinct && !call->part[CALL_FILTER] && !call->part[CALL_OVER];
    if (best && alone && list->count > 1)
        return bind_extreme(b, list, a.kind == AGGREGATE_MIN);
    if (star)
        a.kind = AGGREGATE_COUNT_ROWS;
    else if (list->count == 0 || list->count > 1U + (a.kind == AGGREGATE_CONCAT) ||
             !(a.arg = bind_plain(b, list->part[0])))
        return NULL;
    return a.kind == AGGREGATE_CONCAT && !bind_separator(b, list, &a) ? NULL
                                                                      : bind_call_end(b, call, a);
}

static bool bind_offset(struct binder *b, const struct sql_node *value, int64_t least,
                        uint32_t *out)
{
    struct expr *n = bind_plain(b, value);
    if (!n || n->op != EXPR_CONST || n->type != VALUE_INT || n->number < least ||
        n->number > INT32_MAX)
        return false;
    *out = (uint32_t)n->number;
    return true;
}

static struct expr *bind_window_function(struct binder *b, const struct sql_node *n,
                                         struct window_call call)
{
    const struct sql_node *list = n->part[CALL_ARGUMENTS];
    bool shifts = call.kind == WINDOW_LAG || call.kind == WINDOW_LEAD;
    bool shows = shifts || call.kind == WINDOW_FIRST_VALUE || call.kind == WINDOW_LAST_VALUE;
    bool tiles = call.kind == WINDOW_NTILE;
    call.offset = 1;
    if (n->part[CALL_FILTER] || !n->part[CALL_OVER] || list->count < shows + (uint32_t)tiles ||
        list->count > (shifts ? 3 : shows + (uint32_t)tiles))
        return NULL;
    if (shows && (!(call.arg = bind_plain(b, list->part[0])) || call.arg->type == VALUE_NULL))
        return NULL;
    if (list->count > 1 && !bind_offset(b, list->part[1], 0, &call.offset))
        return NULL;
    if (list->count > 2 &&
        (!(call.fallback = bind_plain(b, list->part[2])) || call.fallback->type != call.arg->type))
        return NULL;
    if (tiles && !bind_offset(b, list->part[0], 1, &call.offset))
        return NULL;
    return bind_window(b, n->part[CALL_OVER], call);
}

/* percentile(x, p), where p is a part of `whole`; median(x). */
static struct expr *bind_percentile(struct binder *b, const struct sql_node *call,
                                    enum percentile_kind kind)
{
    const struct sql_node *list = call->part[CALL_ARGUMENTS];
    struct aggregate a = {.kind = AGGREGATE_PERCENTILE, .part = 0.5, .between = kind != DISCRETE};
    if (list->count != (kind == MEDIAN ? 1 : 2) || !(a.arg = bind_plain(b, list->part[0])))
        return NULL;
    struct expr *part = kind == MEDIAN ? NULL : bind_plain(b, list->part[1]);
    if (kind != MEDIAN && (!part || part->op != EXPR_CONST || !expr_is_number(part)))
        return NULL;
    if (part)
        a.part = (part->type == VALUE_INT ? (double)part->number : part->real) /
                 (kind == OF_HUNDRED ? 100 : 1);
    return a.part >= 0 && a.part <= 1 ? bind_call_end(b, call, a) : NULL;
}

static struct expr *bind_statistic(struct binder *b, const struct sql_node *call,
                                   const struct statistic *statistic)
{
    const struct sql_node *list = call->part[CALL_ARGUMENTS];
    struct aggregate a = {.kind = AGGREGATE_STATISTIC, .statistic = statistic};
    if (list->count != (uint32_t)statistic->arguments)
        return NULL;
    a.arg = a.other = bind_plain(b, list->part[0]);
    if (list->count == 2)
        a.other = bind_plain(b, list->part[1]);
    return a.arg && a.other ? bind_call_end(b, call, a) : NULL;
}

enum { ARG_SAMPLES = 128 };

/* The type of a key's values in the sets of a column, of which some are looked at; `*some_wait`:
 * not at all of these, as they have no ids yet. */
static enum value_type type_in_sets(struct binder *b, const struct table *t, const struct column *c,
                                    string_id key, bool *some_wait)
{
    enum value_type type = VALUE_NULL;
    uint32_t step = t->rows / ARG_SAMPLES + 1;
    *some_wait = false;
    for (uint64_t at = 0; c->data && type == VALUE_NULL && at < t->rows; at += step) {
        uint32_t row = (uint32_t)at;
        bool waits =
            c->def->flags & COLUMN_DEFERRED && settled_args_waits(((const uint32_t *)c->data)[row]);
        const struct arg *a =
            waits || column_is_null(c, row) ? NULL : evaluate_arg(b->plan, column_int(c, row), key);
        type = a ? evaluate_arg_type(a) : VALUE_NULL;
        *some_wait |= waits;
    }
    return type;
}

static enum value_type type_of_arg(struct binder *b, const struct expr *set, string_id key)
{
    const struct trace *trace = b->plan->session->trace;
    const struct sql_table *t = b->select->from.tables[set->table].stored;
    bool some_wait;
    if (!t || !stored_table_ready(trace, t->table))
        return VALUE_NULL;
    const struct column *c = &t->table->columns[set->column];
    enum value_type type = type_in_sets(b, t->table, c, key, &some_wait);
    if (type == VALUE_NULL && some_wait && settled_args_ready(trace))
        type = type_in_sets(b, t->table, c, key, &some_wait);
    return type;
}

bool bind_arguments(struct binder *b, const struct sql_node *list, uint32_t least, uint32_t most,
                    struct expr **args)
{
    bool ok = list->count >= least && list->count <= most;
    for (uint32_t i = 0; ok && i < list->count; i++)
        ok = (args[i] = bind_expression(b, list->part[i])) != NULL;
    return ok;
}

static struct expr *bind_extract_arg(struct binder *b, const struct sql_node *list)
{
    struct expr *args[2];
    if (!bind_arguments(b, list, 2, 2, args) || args[1]->op != EXPR_CONST ||
        args[1]->type != VALUE_TEXT || args[0]->op != EXPR_COLUMN || args[0]->type != VALUE_INT)
        return NULL;
    enum value_type type = type_of_arg(b, args[0], args[1]->text);
    return type == VALUE_NULL ? NULL : expr_node(b, EXPR_ARG, type, args, 2);
}

static struct expr *bind_coalesce(struct binder *b, const struct sql_node *list, bool two)
{
    struct expr *args[LIST_MAX];
    enum value_type type = VALUE_NULL;
    if (!bind_arguments(b, list, 2, two ? 2 : LIST_MAX, args))
        return NULL;
    for (uint32_t i = 0; i < list->count; i++)
        if (!expr_join_type(&type, args[i]->type))
            return NULL;
    return type == VALUE_NULL ? NULL : expr_node(b, EXPR_COALESCE, type, args, list->count);
}

static struct expr *bind_iif(struct binder *b, const struct sql_node *list)
{
    struct expr *args[3];
    if (!bind_arguments(b, list, 3, 3, args))
        return NULL;
    enum value_type type = args[1]->type;
    if (!expr_join_type(&type, args[2]->type) || type == VALUE_NULL || args[0]->type != VALUE_INT)
        return NULL;
    return expr_node(b, EXPR_CASE, type, args, 3);
}

/* A function of one integer that gives one. */
static struct expr *bind_of_int(struct binder *b, const struct sql_node *list, enum expr_op op)
{
    struct expr *x;
    bool fits = bind_arguments(b, list, 1, 1, &x) && x->type == VALUE_INT;
    return fits ? expr_node(b, op, VALUE_INT, &x, 1) : NULL;
}

/* The times of the trace, which do not change. */
static struct expr *bind_time(struct binder *b, const struct sql_node *list, enum trace_time which)
{
    const struct trace *t = b->plan->session->trace;
    int64_t time = which == TRACE_START ? t->start_ts
                   : which == TRACE_END ? t->end_ts
                                        : time_minus(t->end_ts, t->start_ts);
    return list->count == 0 ? expr_int(b->plan, time) : NULL;
}

/* A function of a row's values. */
static struct expr *bind_of_row(struct binder *b, const struct sql_node *list,
                                const struct known_call *c)
{
    switch (c->kind) {
    case CALL_COALESCE:
        return bind_coalesce(b, list, c->which);
    case CALL_IIF:
        return bind_iif(b, list);
    case CALL_OF_INT:
        return bind_of_int(b, list, (enum expr_op)c->which);
    case CALL_EXTRACT_ARG:
        return bind_extract_arg(b, list);
    case CALL_TIME:
        return bind_time(b, list, (enum trace_time)c->which);
    default:
        return bind_sqlite_call(b, list, (uint32_t)c->which);
    }
}

struct expr *bind_call(struct binder *b, const struct sql_node *call)
{
    struct known_call known, *c = &known;
    struct token t = bind_token(b, call->part[CALL_NAME]);
    bool plain = call->op == SQL_OP_NONE && !call->part[CALL_FILTER] && !call->part[CALL_OVER];
    if (t.kind != TOKEN_WORD || call->op == SQL_OP_ALL || call->part[CALL_ORDER])
        return NULL;
    if (b->environment->function_is_taken(b->plan->session, t.text,
                                          call->part[CALL_ARGUMENTS]->count))
        return plain ? bind_function(b, call) : NULL;
    if (bind_is_operators(b->plan->session, t.text))
        return bind_shown_column(b, call) ? expr_int(b->plan, 1) : NULL;
    if (!find_call(t.text, c))
        return NULL;
    switch (c->kind) {
    case CALL_AGGREGATE:
        return bind_aggregate(b, call, (struct aggregate){.kind = (enum aggregate_number)c->which});
    case CALL_STATISTIC:
        return call->op ? NULL : bind_statistic(b, call, statistic_find(t.text));
    case CALL_PERCENTILE:
        return call->op ? NULL : bind_percentile(b, call, (enum percentile_kind)c->which);
    case CALL_WINDOW:
        return call->op
                   ? NULL
                   : bind_window_function(b, call,
                                          (struct window_call){.kind = (enum window_kind)c->which});
    default:
        return plain ? bind_of_row(b, call->part[CALL_ARGUMENTS], c) : NULL;
    }
}
