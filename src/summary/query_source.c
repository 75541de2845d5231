/* Where a structured query takes its rows from. */
#include <inttypes.h>

#include "base/vec.h"
#include "pb_fields.h"
#include "sql/session.h"
#include "sql/tokens/lexer.h"
#include "summary/message.h"
#include "summary/query_writer.h"

#define QUERY(NAME)     PB_PerfettoSqlStructuredQuery_##NAME
#define SLICES(NAME)    PB_PerfettoSqlStructuredQuery_SimpleSlices_##NAME
#define SQL(NAME)       PB_PerfettoSqlStructuredQuery_Sql_##NAME
#define INTERSECT(NAME) PB_PerfettoSqlStructuredQuery_IntervalIntersect_##NAME
#define TO(NAME)        PB_PerfettoSqlStructuredQuery_ExperimentalFilterToIntervals_##NAME
#define RANGE(NAME)     PB_PerfettoSqlStructuredQuery_ExperimentalTimeRange_##NAME
#define JOIN(NAME)      PB_PerfettoSqlStructuredQuery_ExperimentalJoin_##NAME
#define UNION(NAME)     PB_PerfettoSqlStructuredQuery_ExperimentalUnion_##NAME
#define ADD(NAME)       PB_PerfettoSqlStructuredQuery_ExperimentalAddColumns_##NAME
#define CREATE(NAME)    PB_PerfettoSqlStructuredQuery_ExperimentalCreateSlices_##NAME
#define COUNTER(NAME)   PB_PerfettoSqlStructuredQuery_ExperimentalCounterIntervals_##NAME
#define IN(NAME)        PB_PerfettoSqlStructuredQuery_ExperimentalFilterIn_##NAME
#define COLUMN(NAME)    PB_PerfettoSqlStructuredQuery_SelectColumn_##NAME

typedef unsigned long long number; /* as sqlite3_str_appendf takes it */

static void put_table(struct query_writer *w, struct str table)
{
    struct str module = message_text(table, PB_PerfettoSqlStructuredQuery_Table_module_name);
    if (module.n > 0)
        writer_need_module(w, module);
    writer_put_str(w, writer_need(w, table, PB_PerfettoSqlStructuredQuery_Table_table_name,
                                  "table.table_name"));
}

static void put_simple_slices(struct query_writer *w, struct str slices)
{
    static const struct {
        uint32_t field;
        const char *column;
    } globs[] = {
        {SLICES(slice_name_glob), "name"},
        {SLICES(thread_name_glob), "thread_name"},
        {SLICES(process_name_glob), "process_name"},
        {SLICES(track_name_glob), "track_name"},
    };
    const char *before = " WHERE ";
    writer_need_module(w, STR("slices.with_context"));
    writer_put(w, "(SELECT id, ts, dur, name AS slice_name, thread_name, process_name, track_name"
                  " FROM thread_or_process_slice");
    for (size_t i = 0; i < sizeof globs / sizeof *globs; i++) {
        struct str glob = message_text(slices, globs[i].field);
        if (!glob.p)
            continue;
        writer_put(w, "%s%s GLOB '%.*q'", before, globs[i].column, (int)glob.n, glob.p);
        before = " AND ";
    }
    writer_put(w, ")");
}

/* The queries that a text of SQL refers to as $alias, and their numbers. */
struct dependency {
    struct str alias;
    size_t query;
};

struct dependency_list {
    VEC(struct dependency) v;
};

static void nest_dependencies(struct query_writer *w, struct str sql, struct dependency_list *out)
{
    struct pb_reader r = message_reader(sql);
    struct pb_field f;
    while (message_next(&r, SQL(dependencies), &f)) {
        struct dependency d = {writer_need(w, pb_str(&f), SQL(Dependency_alias),
                                           "sql.dependencies.alias"),
                               writer_nest(w, pb_str(&f), SQL(Dependency_query),
                                           "sql.dependencies.query")};
        *vec_push(&out->v) = d;
    }
}

/* A statement's bytes with the dependencies' names in place of their aliases. */
static void put_statement(struct query_writer *w, struct str text, size_t from,
                          const struct dependency_list *dependencies)
{
    struct sql_source source = {.name = "structured query", .text = text};
    struct token_list tokens = {0};
    lexer_statement(&source, from, &tokens);
    for (size_t i = 0; i < tokens.v.count; i++) {
        struct token t = tokens.v.items[i];
        const struct dependency *found = NULL;
        for (size_t d = 0; t.kind == TOKEN_VARIABLE && d < dependencies->v.count; d++)
            if (str_eq(str_skip(t.text, 1), dependencies->v.items[d].alias))
                found = &dependencies->v.items[d];
        if (found)
            writer_put(w, "sq_%llu", (number)found->query);
        else
            writer_put_str(w, t.text);
    }
    vec_release(&tokens.v);
}

/* All but the last statement run before. Returns where the last begins. */
static size_t split_statements(struct query_writer *w, struct str text)
{
    size_t first = text.n, last = text.n;
    for (size_t at = 0, from; (from = sql_script_next(text, &at)) < text.n; last = from)
        if (first == text.n)
            first = from;
    if (first < last)
        writer_need_statements(w, str_from_to(text, first, last));
    return last;
}

static void put_sql(struct query_writer *w, struct str sql)
{
    struct str text = writer_need(w, sql, SQL(sql), "sql.sql");
    struct str preamble = message_text(sql, SQL(preamble));
    struct dependency_list dependencies = {0};
    if (preamble.n > 0)
        writer_need_statements(w, preamble);
    size_t last = split_statements(w, text);
    if (last == text.n)
        writer_fail(w, "sql.sql: there is no statement in it");
    nest_dependencies(w, sql, &dependencies);
    struct pb_reader r = message_reader(sql);
    struct pb_field f;
    const char *before = "(SELECT ";
    for (; message_next(&r, SQL(column_names), &f); before = ", ") {
        writer_put(w, "%s", before);
        writer_put_str(w, pb_str(&f));
    }
    writer_put(w, "%s FROM (", before[0] == '(' ? "(SELECT *" : "");
    put_statement(w, text, last, &dependencies);
    writer_put(w, "\n))");
    vec_release(&dependencies.v);
}

/* The columns that intervals are parted by, with commas in front or in between. */
static void put_partition(struct query_writer *w, struct str message, uint32_t field,
                          const char *lead, const char *between)
{
    struct pb_reader r = message_reader(message);
    struct pb_field f;
    for (const char *before = lead; message_next(&r, field, &f); before = between) {
        writer_put(w, "%s", before);
        writer_put_str(w, pb_str(&f));
    }
}

static bool is_name(struct str s, const char *name)
{
    return str_eq_any_case(s, str_from(name));
}

static void check_partition(struct query_writer *w, struct str message, uint32_t field)
{
    struct pb_reader r = message_reader(message);
    struct pb_field f, other;
    for (size_t i = 0; message_next(&r, field, &f); i++) {
        struct str column = pb_str(&f);
        struct pb_reader before = message_reader(message);
        if (column.n == 0 || is_name(column, "id") || is_name(column, "ts") ||
            is_name(column, "dur"))
            writer_fail(w, "partition_columns: \"%.*s\" cannot be one", (int)column.n, column.p);
        for (size_t k = 0; k < i && message_next(&before, field, &other); k++)
            if (str_eq_any_case(pb_str(&other), column))
                writer_fail(w, "partition_columns: %.*s stands there twice", (int)column.n,
                            column.p);
    }
}

/* Each of the repeated queries of a field, as "PREFIX_N AS (SELECT * FROM sq_M)". Returns how many
 * there were. */
static size_t put_named_queries(struct query_writer *w, struct str message, uint32_t field,
                                const char *prefix, const char *lead, const char *name)
{
    struct pb_reader r = message_reader(message);
    struct pb_field f;
    size_t n = 0;
    for (; message_next(&r, field, &f); n++)
        writer_put(w, "%s%s%llu AS (SELECT * FROM sq_%llu)", n ? ", " : lead, prefix, (number)n,
                   (number)writer_nest_bytes(w, pb_str(&f), name));
    return n;
}

static void put_intersection(struct query_writer *w, struct str message)
{
    writer_need_module(w, STR("intervals.intersect"));
    check_partition(w, message, INTERSECT(partition_columns));
    size_t base = writer_nest(w, message, INTERSECT(base), "interval_intersect.base");
    writer_put(w, "(WITH iibase AS (SELECT * FROM sq_%llu)", (number)base);
    size_t n = put_named_queries(w, message, INTERSECT(interval_intersect), "iisource", ", ",
                                 "interval_intersect.interval_intersect");
    if (n == 0)
        writer_fail(w, "interval_intersect.interval_intersect is missing");
    writer_put(w, "\n    SELECT ii.ts, ii.dur");
    put_partition(w, message, INTERSECT(partition_columns), ", ii.", ", ii.");
    writer_put(w, ", base_0.id AS id_0, base_0.ts AS ts_0, base_0.dur AS dur_0, base_0.*");
    for (size_t i = 1; i <= n; i++)
        writer_put(w,
                   ", source_%llu.id AS id_%llu, source_%llu.ts AS ts_%llu, "
                   "source_%llu.dur AS dur_%llu, source_%llu.*",
                   (number)i, (number)i, (number)i, (number)i, (number)i, (number)i, (number)i);
    writer_put(w, "\n    FROM _interval_intersect!((iibase");
    for (size_t i = 0; i < n; i++)
        writer_put(w, ", iisource%llu", (number)i);
    writer_put(w, "), (");
    put_partition(w, message, INTERSECT(partition_columns), "", ", ");
    writer_put(w, ")) ii\n    JOIN iibase AS base_0 ON ii.id_0 = base_0.id");
    for (size_t i = 1; i <= n; i++)
        writer_put(w, "\n    JOIN iisource%llu AS source_%llu ON ii.id_%llu = source_%llu.id",
                   (number)(i - 1), (number)i, (number)i, (number)i);
    writer_put(w, ")");
}

/* The columns that a filter by intervals yields. Cut to the intervals, ts and dur are those of the
 * piece, and the interval's own follow under other names where they were asked for. */
static void put_filtered_columns(struct query_writer *w, struct str message, bool clip)
{
    struct pb_reader r = message_reader(message);
    struct pb_field f;
    const char *before = clip ? ", " : "";
    writer_put(w, "%s", clip ? "ii.ts, ii.dur" : "");
    if (message_count(message, TO(select_columns)) == 0) {
        writer_put(w, "%sbase_0.*", before);
        return;
    }
    for (; message_next(&r, TO(select_columns), &f); before = ", ") {
        struct str column = pb_str(&f);
        if (clip && (is_name(column, "ts") || is_name(column, "dur")))
            continue;
        writer_put(w, "%sbase_0.%.*s", before, (int)column.n, column.p);
    }
    r = message_reader(message);
    while (clip && message_next(&r, TO(select_columns), &f)) {
        if (is_name(pb_str(&f), "ts"))
            writer_put(w, ", base_0.ts AS original_ts");
        else if (is_name(pb_str(&f), "dur"))
            writer_put(w, ", base_0.dur AS original_dur");
    }
}

/* Overlapping intervals are merged first: a row must not come out twice. */
static void put_merged_intervals(struct query_writer *w, struct str message)
{
    writer_put(w, ",\n    fti_intervals AS (SELECT row_number() OVER (ORDER BY ts) AS id, ts, dur");
    put_partition(w, message, TO(partition_columns), ", ", ", ");
    if (message_count(message, TO(partition_columns)) == 0) {
        writer_put(w, " FROM interval_merge_overlapping!(fti_raw, 0))");
        return;
    }
    writer_put(w, " FROM interval_merge_overlapping_partitioned!(fti_raw, (");
    put_partition(w, message, TO(partition_columns), "", ", ");
    writer_put(w, ")))");
}

static void put_filter_to_intervals(struct query_writer *w, struct str message)
{
    bool clip = message_int(message, TO(clip_to_intervals), true) != 0;
    writer_need_module(w, STR("intervals.intersect"));
    writer_need_module(w, STR("intervals.overlap"));
    check_partition(w, message, TO(partition_columns));
    size_t base = writer_nest(w, message, TO(base), "experimental_filter_to_intervals.base");
    size_t intervals =
        writer_nest(w, message, TO(intervals), "experimental_filter_to_intervals.intervals");
    writer_put(w,
               "(WITH fti_base AS (SELECT * FROM sq_%llu),\n"
               "    fti_raw AS (SELECT * FROM sq_%llu)",
               (number)base, (number)intervals);
    put_merged_intervals(w, message);
    writer_put(w, "\n    SELECT ");
    put_filtered_columns(w, message, clip);
    writer_put(w, "\n    FROM _interval_intersect!((fti_base, fti_intervals), (");
    put_partition(w, message, TO(partition_columns), "", ", ");
    writer_put(w, ")) ii\n    JOIN fti_base AS base_0 ON ii.id_0 = base_0.id)");
}

/* Without times the whole trace, where the range is one that follows it. */
static void put_time_range(struct query_writer *w, struct str message)
{
    bool has_ts = message_has(message, RANGE(ts)), has_dur = message_has(message, RANGE(dur));
    int64_t mode = message_int(message, RANGE(mode), -1);
    if (mode != RANGE(Mode_STATIC) && mode != RANGE(Mode_DYNAMIC))
        writer_fail(w, "experimental_time_range.mode: neither STATIC nor DYNAMIC");
    if (mode == RANGE(Mode_STATIC) && (!has_ts || !has_dur))
        writer_fail(w, "experimental_time_range.%s is missing", has_ts ? "dur" : "ts");
    writer_put(w, "(SELECT 0 AS id, ");
    if (has_ts)
        writer_put(w, "%lld AS ts, ", (long long)message_int(message, RANGE(ts), 0));
    else
        writer_put(w, "trace_start() AS ts, ");
    if (has_dur)
        writer_put(w, "%lld AS dur)", (long long)message_int(message, RANGE(dur), 0));
    else
        writer_put(w, "trace_dur() AS dur)");
}

/* ON what two queries are joined: the names that stand for them are those of the condition. */
struct join_condition {
    struct str left, right; /* aliases; {NULL, 0}: the condition names columns */
    struct str left_column, right_column, expression;
};

static struct join_condition read_condition(struct query_writer *w, struct str equality,
                                            struct str freeform)
{
    struct join_condition c = {0};
    if (equality.p) {
        c.left_column = writer_need(w, equality, JOIN(EqualityColumns_left_column),
                                    "equality_columns.left_column");
        c.right_column = writer_need(w, equality, JOIN(EqualityColumns_right_column),
                                     "equality_columns.right_column");
    } else if (freeform.p) {
        c.left = writer_need(w, freeform, JOIN(FreeformCondition_left_query_alias),
                             "freeform_condition.left_query_alias");
        c.right = writer_need(w, freeform, JOIN(FreeformCondition_right_query_alias),
                              "freeform_condition.right_query_alias");
        c.expression = writer_need(w, freeform, JOIN(FreeformCondition_sql_expression),
                                   "freeform_condition.sql_expression");
    } else {
        writer_fail(w, "equality_columns or freeform_condition is missing");
    }
    return c;
}

/* The number of a query, and its alias where the condition has none. */
struct join_side {
    size_t query;
    struct str alias;
};

/* "A AS left LEFT JOIN B AS right ON ..." */
static void put_join_of(struct query_writer *w, struct join_side left, struct join_side right,
                        bool outer, const struct join_condition *c)
{
    struct str l = c->left.p ? c->left : left.alias;
    struct str r = c->right.p ? c->right : right.alias;
    writer_put(w, "sq_%llu AS %.*s %s JOIN sq_%llu AS %.*s ON ", (number)left.query, (int)l.n, l.p,
               outer ? "LEFT" : "INNER", (number)right.query, (int)r.n, r.p);
    if (c->expression.p)
        writer_put_str(w, c->expression);
    else
        writer_put(w, "%.*s.%.*s = %.*s.%.*s", (int)l.n, l.p, (int)c->left_column.n,
                   c->left_column.p, (int)r.n, r.p, (int)c->right_column.n, c->right_column.p);
}

static void put_join(struct query_writer *w, struct str join)
{
    size_t left = writer_nest(w, join, JOIN(left_query), "experimental_join.left_query");
    size_t right = writer_nest(w, join, JOIN(right_query), "experimental_join.right_query");
    struct join_condition c = read_condition(w, message_text(join, JOIN(equality_columns)),
                                             message_text(join, JOIN(freeform_condition)));
    bool outer = message_int(join, JOIN(type), JOIN(Type_INNER)) == JOIN(Type_LEFT);
    writer_put(w, "(SELECT * FROM ");
    put_join_of(w, (struct join_side){left, STR("join_left")},
                (struct join_side){right, STR("join_right")}, outer, &c);
    writer_put(w, ")");
}

static void put_add_columns(struct query_writer *w, struct str add)
{
    size_t core = writer_nest(w, add, ADD(core_query), "experimental_add_columns.core_query");
    size_t input = writer_nest(w, add, ADD(input_query), "experimental_add_columns.input_query");
    struct join_condition c = read_condition(w, message_text(add, ADD(equality_columns)),
                                             message_text(add, ADD(freeform_condition)));
    if (c.left.p && (!str_eq(c.left, STR("core")) || !str_eq(c.right, STR("input"))))
        writer_fail(w, "experimental_add_columns.freeform_condition: the aliases are core, input");
    if (message_count(add, ADD(input_columns)) == 0)
        writer_fail(w, "experimental_add_columns.input_columns is missing");
    struct pb_reader r = message_reader(add);
    struct pb_field f;
    writer_put(w, "(SELECT core.*");
    while (message_next(&r, ADD(input_columns), &f)) {
        struct str column =
            writer_need(w, pb_str(&f), COLUMN(column_name_or_expression),
                        "experimental_add_columns.input_columns.column_name_or_expression");
        struct str alias = message_text(pb_str(&f), COLUMN(alias));
        writer_put(w, ", input.%.*s", (int)column.n, column.p);
        if (alias.n > 0)
            writer_put(w, " AS %.*s", (int)alias.n, alias.p);
    }
    writer_put(w, " FROM ");
    put_join_of(w, (struct join_side){core, STR("core")}, (struct join_side){input, STR("input")},
                true, &c);
    writer_put(w, ")");
}

static void put_union(struct query_writer *w, struct str message)
{
    const char *keyword = message_int(message, UNION(use_union_all), false) ? "UNION ALL" : "UNION";
    size_t n = put_named_queries(w, message, UNION(queries), "union_query_", "(WITH ",
                                 "experimental_union.queries");
    if (n < 2)
        writer_fail(w, "experimental_union.queries: at least two are needed");
    for (size_t i = 0; i < n; i++)
        writer_put(w, "\n    %s SELECT * FROM union_query_%llu", i ? keyword : "", (number)i);
    writer_put(w, ")");
}

static struct str column_or_ts(struct str message, uint32_t field)
{
    struct str column = message_text(message, field);
    return column.n ? column : STR("ts");
}

static void put_create_slices(struct query_writer *w, struct str message)
{
    struct str starts = column_or_ts(message, CREATE(starts_ts_column));
    struct str ends = column_or_ts(message, CREATE(ends_ts_column));
    writer_need_module(w, STR("intervals.create_intervals"));
    size_t from =
        writer_nest(w, message, CREATE(starts_query), "experimental_create_slices.starts_query");
    size_t to =
        writer_nest(w, message, CREATE(ends_query), "experimental_create_slices.ends_query");
    writer_put(w,
               "(SELECT * FROM _interval_create!((SELECT %.*s AS ts FROM sq_%llu), "
               "(SELECT %.*s AS ts FROM sq_%llu)))",
               (int)starts.n, starts.p, (number)from, (int)ends.n, ends.p, (number)to);
}

static void put_counter_intervals(struct query_writer *w, struct str message)
{
    writer_need_module(w, STR("counters.intervals"));
    size_t input =
        writer_nest(w, message, COUNTER(input_query), "experimental_counter_intervals.input_query");
    writer_put(w, "(SELECT * FROM counter_leading_intervals!(sq_%llu))", (number)input);
}

static void put_filter_in(struct query_writer *w, struct str message)
{
    struct str column =
        writer_need(w, message, IN(base_column), "experimental_filter_in.base_column");
    struct str match =
        writer_need(w, message, IN(match_column), "experimental_filter_in.match_column");
    size_t base = writer_nest(w, message, IN(base), "experimental_filter_in.base");
    size_t values =
        writer_nest(w, message, IN(match_values), "experimental_filter_in.match_values");
    writer_put(w,
               "(SELECT base.* FROM sq_%llu AS base WHERE base.%.*s IN (SELECT %.*s FROM sq_%llu))",
               (number)base, (int)column.n, column.p, (int)match.n, match.p, (number)values);
}

static void put_inner_query(struct query_writer *w, struct str query)
{
    writer_put(w, "sq_%llu", (number)writer_nest_bytes(w, query, "inner_query"));
}

static const struct {
    uint32_t field;
    void (*put)(struct query_writer *w, struct str message);
} sources[] = {
    {QUERY(table), put_table},
    {QUERY(sql), put_sql},
    {QUERY(simple_slices), put_simple_slices},
    {QUERY(inner_query), put_inner_query},
    {QUERY(inner_query_id), writer_put_reference},
    {QUERY(interval_intersect), put_intersection},
    {QUERY(experimental_join), put_join},
    {QUERY(experimental_union), put_union},
    {QUERY(experimental_add_columns), put_add_columns},
    {QUERY(experimental_create_slices), put_create_slices},
    {QUERY(experimental_time_range), put_time_range},
    {QUERY(experimental_filter_to_intervals), put_filter_to_intervals},
    {QUERY(experimental_counter_intervals), put_counter_intervals},
    {QUERY(experimental_filter_in), put_filter_in},
};

void writer_put_source(struct query_writer *w, struct str query)
{
    for (size_t i = 0; i < sizeof sources / sizeof *sources; i++) {
        struct str message = message_text(query, sources[i].field);
        if (!message.p)
            continue;
        sources[i].put(w, message);
        return;
    }
    writer_fail(w, "the source (table, sql, ...) is missing");
}
