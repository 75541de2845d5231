/* What a structured query does with the rows of its source: filters, groups, columns, order. */
#define PB_READS_LITTLE
#include <inttypes.h>

#include "base/vec.h"
#include "pb_fields.h"
#include "summary/message.h"
#include "summary/query_writer.h"

#define QUERY(NAME)     PB_PerfettoSqlStructuredQuery_##NAME
#define FILTER(NAME)    PB_PerfettoSqlStructuredQuery_Filter_##NAME
#define GROUP(NAME)     PB_PerfettoSqlStructuredQuery_ExperimentalFilterGroup_##NAME
#define GROUP_BY(NAME)  PB_PerfettoSqlStructuredQuery_GroupBy_##NAME
#define AGGREGATE(NAME) PB_PerfettoSqlStructuredQuery_GroupBy_Aggregate_##NAME
#define COLUMN(NAME)    PB_PerfettoSqlStructuredQuery_SelectColumn_##NAME
#define ORDER(NAME)     PB_PerfettoSqlStructuredQuery_OrderBy_##NAME

enum { GROUP_DEPTH_MAX = 100 };

static const char *const filter_operators[] = {
    [FILTER(Operator_EQUAL)] = "=",
    [FILTER(Operator_NOT_EQUAL)] = "!=",
    [FILTER(Operator_LESS_THAN)] = "<",
    [FILTER(Operator_LESS_THAN_EQUAL)] = "<=",
    [FILTER(Operator_GREATER_THAN)] = ">",
    [FILTER(Operator_GREATER_THAN_EQUAL)] = ">=",
    [FILTER(Operator_GLOB)] = "GLOB",
    [FILTER(Operator_IS_NULL)] = "IS NULL",
    [FILTER(Operator_IS_NOT_NULL)] = "IS NOT NULL",
};

static const char *find_operator(struct query_writer *w, struct str filter)
{
    int64_t op = message_int(filter, FILTER(op), FILTER(Operator_UNKNOWN));
    size_t known = sizeof filter_operators / sizeof *filter_operators;
    const char *name = op > 0 && (uint64_t)op < known ? filter_operators[op] : NULL;
    if (!name)
        writer_fail(w, "filters.op: %" PRId64 " is no operator", op);
    return name ? name : "";
}

/* "COLUMN OP", with OR in front of all but the first. */
static void put_comparison(struct query_writer *w, struct str column, const char *op, size_t before)
{
    writer_put(w, "%s", before > 0 ? " OR " : "");
    writer_put_str(w, column);
    writer_put(w, " %s ", op);
}

/* The values of one kind; any of them may be the one. Returns how many there were. */
static size_t put_numbers(struct query_writer *w, struct str filter, struct str column,
                          const char *op, bool reals)
{
    struct pb_reader r = message_reader(filter);
    struct pb_field f;
    size_t n = 0;
    while (message_next(&r, reals ? FILTER(double_rhs) : FILTER(int64_rhs), &f)) {
        struct pb_packed it = pb_packed_begin(&f, reals ? PB_WIRE_I64 : PB_WIRE_VARINT);
        for (uint64_t bits; pb_packed_next(&it, &bits); n++) {
            double real;
            memcpy(&real, &bits, sizeof real);
            put_comparison(w, column, op, n);
            if (reals)
                writer_put(w, "%!.17g", real);
            else
                writer_put(w, "%lld", (long long)bits);
        }
    }
    return n;
}

static size_t put_texts(struct query_writer *w, struct str filter, struct str column,
                        const char *op)
{
    struct pb_reader r = message_reader(filter);
    struct pb_field f;
    size_t n = 0;
    for (; message_next(&r, FILTER(string_rhs), &f); n++) {
        put_comparison(w, column, op, n);
        writer_put(w, "'%.*q'", (int)pb_str(&f).n, pb_str(&f).p);
    }
    return n;
}

static void put_filter(struct query_writer *w, struct str filter)
{
    struct str column = writer_need(w, filter, FILTER(column_name), "filters.column_name");
    int64_t number = message_int(filter, FILTER(op), 0);
    const char *op = find_operator(w, filter);
    writer_put(w, "(");
    if (number == FILTER(Operator_IS_NULL) || number == FILTER(Operator_IS_NOT_NULL))
        put_comparison(w, column, op, 0);
    else if (put_texts(w, filter, column, op) == 0 &&
             put_numbers(w, filter, column, op, true) == 0 &&
             put_numbers(w, filter, column, op, false) == 0)
        writer_fail(w, "filters: there is no value to compare %.*s with", (int)column.n, column.p);
    writer_put(w, ")");
}

/* A group of conditions that is being written. */
struct open_group {
    struct pb_reader rest;
    const char *between;
    size_t written;
};

static struct open_group open_group(struct query_writer *w, struct str group)
{
    int64_t op = message_int(group, GROUP(op), GROUP(Operator_UNSPECIFIED));
    if (op != GROUP(Operator_AND) && op != GROUP(Operator_OR))
        writer_fail(w, "experimental_filter_group.op: neither AND nor OR");
    writer_put(w, "(");
    return (struct open_group){.rest = message_reader(group),
                               .between = op == GROUP(Operator_OR) ? " OR " : " AND "};
}

/* Writes what the group has next. False: it has ended, or another one begins, which is `*inner`. */
static bool put_next(struct query_writer *w, struct open_group *g, struct str *inner)
{
    struct pb_field f;
    *inner = (struct str){NULL, 0};
    if (!pb_next(&g->rest, &f))
        return false;
    if (f.number != GROUP(filters) && f.number != GROUP(groups) &&
        f.number != GROUP(sql_expressions))
        return true;
    writer_put(w, "%s", g->written++ > 0 ? g->between : "");
    if (f.number == GROUP(filters))
        put_filter(w, pb_str(&f));
    else if (f.number == GROUP(sql_expressions))
        writer_put(w, "(%.*s)", (int)pb_str(&f).n, pb_str(&f).p);
    else
        *inner = pb_str(&f);
    return f.number != GROUP(groups);
}

static void put_filter_group(struct query_writer *w, struct str group)
{
    VEC(struct open_group) open = {0};
    *vec_push(&open) = open_group(w, group);
    while (open.count > 0 && status_ok(w->bad)) {
        struct str inner;
        struct open_group *g = &vec_last(&open);
        if (put_next(w, g, &inner))
            continue;
        if (inner.p && open.count < GROUP_DEPTH_MAX) {
            *vec_push(&open) = open_group(w, inner);
        } else if (inner.p) {
            writer_fail(w, "experimental_filter_group: more than %d within each other",
                        GROUP_DEPTH_MAX);
        } else {
            if (g->written == 0)
                writer_fail(w, "experimental_filter_group: a group without conditions");
            writer_put(w, ")");
            open.count--;
        }
    }
    vec_release(&open);
}

static void put_where(struct query_writer *w, struct str query)
{
    struct pb_reader r = message_reader(query);
    struct pb_field f;
    const char *before = "\n  WHERE ";
    for (; message_next(&r, QUERY(filters), &f); before = "\n    AND ") {
        writer_put(w, "%s", before);
        put_filter(w, pb_str(&f));
    }
    struct str group = message_text(query, QUERY(experimental_filter_group));
    if (!group.p)
        return;
    writer_put(w, "%s", before);
    put_filter_group(w, group);
}

static void put_group_by(struct query_writer *w, struct str query)
{
    struct pb_reader r = message_reader(message_text(query, QUERY(group_by)));
    struct pb_field f;
    const char *before = "\n  GROUP BY ";
    for (; message_next(&r, GROUP_BY(column_names), &f); before = ", ") {
        writer_put(w, "%s", before);
        writer_put_str(w, pb_str(&f));
    }
}

static void put_order_by(struct query_writer *w, struct str query)
{
    struct str order = message_text(query, QUERY(order_by));
    struct pb_reader r = message_reader(order);
    struct pb_field f;
    const char *before = "\n  ORDER BY ";
    if (order.p && message_count(order, ORDER(ordering_specs)) == 0)
        writer_fail(w, "order_by.ordering_specs is missing");
    for (; order.p && message_next(&r, ORDER(ordering_specs), &f); before = ", ") {
        struct str spec = pb_str(&f);
        writer_put(w, "%s", before);
        writer_put_str(w, writer_need(w, spec, ORDER(OrderingSpec_column_name),
                                      "order_by.ordering_specs.column_name"));
        int64_t direction = message_int(spec, ORDER(OrderingSpec_direction), 0);
        writer_put(w, "%s",
                   direction == ORDER(Direction_DESC)  ? " DESC"
                   : direction == ORDER(Direction_ASC) ? " ASC"
                                                       : "");
    }
}

static void put_limit(struct query_writer *w, struct str query)
{
    int64_t limit = message_int(query, QUERY(limit), 0);
    int64_t offset = message_int(query, QUERY(offset), 0);
    bool has_limit = message_has(query, QUERY(limit));
    if (!has_limit && message_has(query, QUERY(offset)))
        writer_fail(w, "offset: needs a limit");
    if (limit < 0)
        writer_fail(w, "limit: %" PRId64 " is negative", limit);
    if (offset < 0)
        writer_fail(w, "offset: %" PRId64 " is negative", offset);
    if (has_limit)
        writer_put(w, "\n  LIMIT %lld", (long long)limit);
    if (offset > 0)
        writer_put(w, " OFFSET %lld", (long long)offset);
}

void writer_put_clauses(struct query_writer *w, struct str query)
{
    put_where(w, query);
    put_group_by(w, query);
    put_order_by(w, query);
    put_limit(w, query);
}

/* The expression of a selected column, by its present or former field. */
static struct str column_expression(struct str column)
{
    struct str text = message_text(column, COLUMN(column_name_or_expression));
    return text.p ? text : message_text(column, COLUMN(column_name));
}

static void put_alias(struct query_writer *w, struct str alias)
{
    if (alias.n == 0)
        return;
    writer_put(w, " AS ");
    writer_put_str(w, alias);
}

/* How op is called in SQL, with the column in between; NULL: it takes more than that. */
static const struct {
    const char *before, *behind;
} aggregate_functions[] = {
    [AGGREGATE(Op_COUNT)] = {"COUNT(", ")"},
    [AGGREGATE(Op_SUM)] = {"SUM(", ")"},
    [AGGREGATE(Op_MIN)] = {"MIN(", ")"},
    [AGGREGATE(Op_MAX)] = {"MAX(", ")"},
    [AGGREGATE(Op_MEAN)] = {"AVG(", ")"},
    [AGGREGATE(Op_MEDIAN)] = {"PERCENTILE(", ", 50)"},
    [AGGREGATE(Op_DURATION_WEIGHTED_MEAN)] = {"SUM(CAST((", ") * dur AS REAL)) / SUM(dur)"},
    [AGGREGATE(Op_COUNT_DISTINCT)] = {"COUNT(DISTINCT ", ")"},
    [AGGREGATE(Op_CUSTOM)] = {NULL, NULL},
};

static double percentile_of(struct query_writer *w, struct str aggregate)
{
    struct pb_reader r = message_reader(aggregate);
    struct pb_field f;
    double percentile = -1;
    while (message_next(&r, AGGREGATE(percentile), &f))
        percentile = pb_real(&f);
    if (!(percentile >= 0 && percentile <= 100))
        writer_fail(w, "group_by.aggregates.percentile: expected 0 to 100");
    return percentile;
}

static void put_aggregate(struct query_writer *w, struct str aggregate)
{
    int64_t op = message_int(aggregate, AGGREGATE(op), AGGREGATE(Op_UNSPECIFIED));
    struct str column = message_text(aggregate, AGGREGATE(column_name));
    size_t known = sizeof aggregate_functions / sizeof *aggregate_functions;
    if (op == AGGREGATE(Op_COUNT) && column.n == 0) {
        writer_put(w, "COUNT(*)");
        return;
    }
    if (op == AGGREGATE(Op_CUSTOM)) {
        writer_put_str(w, writer_need(w, aggregate, AGGREGATE(custom_sql_expression),
                                      "group_by.aggregates.custom_sql_expression"));
        return;
    }
    column = writer_need(w, aggregate, AGGREGATE(column_name), "group_by.aggregates.column_name");
    if (op == AGGREGATE(Op_PERCENTILE)) {
        writer_put(w, "PERCENTILE(%.*s, %!.17g)", (int)column.n, column.p,
                   percentile_of(w, aggregate));
        return;
    }
    if (op <= 0 || (uint64_t)op >= known || !aggregate_functions[op].before) {
        writer_fail(w, "group_by.aggregates.op: %" PRId64 " is no operator", op);
        return;
    }
    writer_put(w, "%s%.*s%s", aggregate_functions[op].before, (int)column.n, column.p,
               aggregate_functions[op].behind);
}

/* What a grouped query calls its column `name`: {NULL, 0} where select_columns leaves it out, the
 * alias or the name itself otherwise. */
static struct str selected_as(struct str query, struct str name)
{
    struct pb_reader r = message_reader(query);
    struct pb_field f;
    bool any = false;
    while (message_next(&r, QUERY(select_columns), &f)) {
        any = true;
        if (!str_eq(column_expression(pb_str(&f)), name))
            continue;
        struct str alias = message_text(pb_str(&f), COLUMN(alias));
        return alias.n ? alias : name;
    }
    return any ? (struct str){NULL, 0} : name;
}

/* The columns that rows are grouped by, then the aggregates. */
static void put_grouped_columns(struct query_writer *w, struct str query, struct str group_by)
{
    struct pb_reader r = message_reader(group_by);
    struct pb_field f;
    size_t written = 0;
    while (message_next(&r, GROUP_BY(column_names), &f)) {
        struct str name = pb_str(&f), as = selected_as(query, name);
        if (!as.p)
            continue;
        writer_put(w, "%s%.*s", written++ > 0 ? ", " : "", (int)name.n, name.p);
        if (!str_eq(as, name))
            put_alias(w, as);
    }
    r = message_reader(group_by);
    while (message_next(&r, GROUP_BY(aggregates), &f)) {
        struct str name = writer_need(w, pb_str(&f), AGGREGATE(result_column_name),
                                      "group_by.aggregates.result_column_name");
        struct str as = selected_as(query, name);
        if (!as.p)
            continue;
        writer_put(w, "%s", written++ > 0 ? ", " : "");
        put_aggregate(w, pb_str(&f));
        put_alias(w, as);
    }
    if (written == 0)
        writer_fail(w, "group_by: no column is selected");
}

static void put_selected_columns(struct query_writer *w, struct str query)
{
    struct pb_reader r = message_reader(query);
    struct pb_field f;
    const char *before = "";
    for (; message_next(&r, QUERY(select_columns), &f); before = ", ") {
        struct str expression = column_expression(pb_str(&f));
        if (expression.n == 0)
            writer_fail(w, "select_columns.column_name_or_expression is missing");
        writer_put(w, "%s", before);
        writer_put_str(w, expression);
        put_alias(w, message_text(pb_str(&f), COLUMN(alias)));
    }
    if (!*before)
        writer_put(w, "*");
}

void writer_put_columns(struct query_writer *w, struct str query)
{
    struct str group_by = message_text(query, QUERY(group_by));
    if (group_by.p)
        put_grouped_columns(w, query, group_by);
    else
        put_selected_columns(w, query);
}
