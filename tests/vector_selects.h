/* Random SELECTs and their expressions. */
#ifndef TPTUI_VECTOR_SELECTS_H
#define TPTUI_VECTOR_SELECTS_H

#include "vector_shapes.h"

static void put_int(sqlite3_str *out, const struct shape *s, int depth);
static void put_condition(sqlite3_str *out, const struct shape *s, int depth);
static void put_text(sqlite3_str *out, const struct shape *s, int depth);

static void put_real(sqlite3_str *out, const struct shape *s, int depth)
{
    switch (depth > 0 ? next_random(7) : 0) {
    case 5:
        sqlite3_str_appendall(out, one_in(2) ? "f_real(" : "f_same(");
        put_real(out, s, depth - 1);
        sqlite3_str_appendall(out, ")");
        return;
    case 4:
        sqlite3_str_appendall(out, "round(");
        put_real(out, s, depth - 1);
        sqlite3_str_appendall(out, one_in(2) ? ", 1)" : ")");
        return;
    case 1:
        put_int(out, s, depth - 1);
        sqlite3_str_appendall(out, one_in(2) ? " / 2.5" : " * 1e-3");
        return;
    case 2:
        sqlite3_str_appendall(out, "CAST(");
        put_int(out, s, depth - 1);
        sqlite3_str_appendall(out, " AS DOUBLE)");
        return;
    case 3:
        put_real(out, s, depth - 1);
        sqlite3_str_appendall(out, one_in(2) ? " - " : " + ");
        put_int(out, s, 0);
        return;
    default:
        sqlite3_str_appendall(out, s->reals[0] ? pick(s->reals, 4) : "0.5");
    }
}

/* SELECTs in expressions, which read nothing of the statement around them: the rows behind IN, or
 * the value of one. */
static void put_rows(sqlite3_str *out, bool texts)
{
    const struct shape *of = random_shape();
    while (texts && !of->texts[0])
        of = random_shape();
    sqlite3_str_appendall(out, one_in(4) ? "(SELECT DISTINCT " : "(SELECT ");
    if (texts)
        sqlite3_str_appendall(out, pick(of->texts, 5));
    else
        put_int(out, of, one_in(3));
    sqlite3_str_appendf(out, " FROM %s", of->from);
    if (one_in(2)) {
        sqlite3_str_appendall(out, " WHERE ");
        put_condition(out, of, 1);
    }
    if (one_in(5))
        sqlite3_str_appendf(out, " GROUP BY %s HAVING count(*) > %u",
                            texts ? of->texts[0] : of->ints[0], next_random(40));
    if (one_in(6))
        sqlite3_str_appendf(out, " ORDER BY 1%s LIMIT %u", one_in(2) ? " DESC" : "",
                            next_random(9));
    sqlite3_str_appendall(out, ")");
}

static void put_value_of_select(sqlite3_str *out)
{
    static const char *const calls[] = {"max(%s)", "min(%s)", "sum(%s) / 100", "count(%s)", "%s"};
    const struct shape *of = random_shape();
    sqlite3_str_appendall(out, "(SELECT ");
    sqlite3_str_appendf(out, calls[next_random(5)], int_column(of));
    sqlite3_str_appendf(out, " FROM %s", of->from);
    if (one_in(2)) {
        sqlite3_str_appendall(out, " WHERE ");
        put_condition(out, of, 1);
    }
    if (one_in(4))
        sqlite3_str_appendf(out, " ORDER BY 1%s", one_in(2) ? " DESC" : " LIMIT 2");
    sqlite3_str_appendall(out, ")");
}

static void put_condition(sqlite3_str *out, const struct shape *s, int depth)
{
    static const char *const compare[] = {" = ", " <> ", " < ",  " <= ",
                                          " > ", " >= ", " IS ", " IS NOT "};
    static const char *const tests[] = {" IS NULL", " IS NOT NULL", " NOTNULL", " ISNULL"};
    static const char *const matches[] = {" LIKE 'r%'",           " GLOB '*r*'",
                                          " NOT LIKE '%e%'",      " IN ('read', 'R', 'zz')",
                                          " BETWEEN 'a' AND 'r'", " NOT IN ('poll', 'main')"};
    if (one_in(25)) {
        bool texts = s->texts[0] && one_in(3);
        sqlite3_str_appendf(out, "%s%s", texts ? text_column(s) : int_column(s),
                            one_in(3) ? " NOT IN " : " IN ");
        put_rows(out, texts);
        return;
    }
    if (one_in(30)) {
        sqlite3_str_appendf(out, "%s%s", int_column(s), compare[next_random(8)]);
        put_value_of_select(out);
        return;
    }
    if (one_in(20)) {
        put_exists(out, s);
        return;
    }
    switch (next_random(depth > 0 ? 9 : 6)) {
    case 0:
    case 1:
        sqlite3_str_appendf(out, "%s%s%d", int_column(s), compare[next_random(8)],
                            (int)next_random(40) - 1);
        return;
    case 2:
        sqlite3_str_appendf(out, "%s%s", int_column(s), tests[next_random(4)]);
        return;
    case 3:
        put_text(out, s, 0);
        sqlite3_str_appendall(out, matches[next_random(6)]);
        return;
    case 4:
        put_int(out, s, depth);
        sqlite3_str_appendall(out, compare[next_random(8)]);
        put_int(out, s, depth);
        return;
    case 5:
        put_real(out, s, depth);
        sqlite3_str_appendall(out, compare[next_random(6)]);
        put_int(out, s, 0);
        return;
    default:
        sqlite3_str_appendall(out, one_in(3) ? "NOT (" : "(");
        put_condition(out, s, depth - 1);
        sqlite3_str_appendall(out, one_in(2) ? " AND " : " OR ");
        put_condition(out, s, depth - 1);
        sqlite3_str_appendall(out, ")");
    }
}

static void put_int(sqlite3_str *out, const struct shape *s, int depth)
{
    static const char *const operators[] = {" + ", " - ", " * ", " / ", " % ", " & ", " | "};
    static const char *const calls[] = {"f_sum(%s, ", "f_first(%s, ", "f_same(", "f_nested("};
    switch (depth > 0 ? next_random(15) : 0) {
    case 12:
        sqlite3_str_appendf(out, calls[next_random(4)], int_column(s));
        put_int(out, s, depth - 1);
        sqlite3_str_appendall(out, ")");
        return;
    case 11:
        if (one_in(2))
            put_value_by_key(out, s);
        else
            put_value_of_select(out);
        return;
    case 10:
        sqlite3_str_appendf(out, one_in(2) ? "length(%s)" : "instr(%s, 'r')", text_column(s));
        return;
    case 8:
        sqlite3_str_appendf(out, one_in(2) ? "min(%s, " : "max(%s, 10, ", int_column(s));
        put_int(out, s, depth - 1);
        sqlite3_str_appendall(out, ")");
        return;
    case 1:
    case 2:
        sqlite3_str_appendall(out, "(");
        put_int(out, s, depth - 1);
        sqlite3_str_appendall(out, operators[next_random(7)]);
        put_int(out, s, depth - 1);
        sqlite3_str_appendall(out, ")");
        return;
    case 3:
        sqlite3_str_appendall(out, "CASE WHEN ");
        put_condition(out, s, depth - 1);
        sqlite3_str_appendall(out, " THEN ");
        put_int(out, s, depth - 1);
        sqlite3_str_appendall(out, one_in(2) ? " ELSE 3 END" : " END");
        return;
    case 4:
        sqlite3_str_appendf(out, one_in(2) ? "coalesce(%s, " : "ifnull(%s, ", int_column(s));
        put_int(out, s, depth - 1);
        sqlite3_str_appendall(out, ")");
        return;
    case 5:
        sqlite3_str_appendf(out, one_in(2) ? "abs(%s)" : "-%s", int_column(s));
        return;
    case 9:
        sqlite3_str_appendf(out, "__intrinsic_%s(%s)",
                            one_in(2) ? "thread_state_end" : "slice_stack", int_column(s));
        return;
    case 6:
        sqlite3_str_appendall(out, "CAST(");
        put_real(out, s, depth - 1);
        sqlite3_str_appendall(out, " AS INT)");
        return;
    case 7:
        sqlite3_str_appendf(out, "%d", (int)next_random(5));
        return;
    default:
        sqlite3_str_appendall(out, int_column(s));
    }
}

/* Functions that SQLite computes. */
static void put_text_call(sqlite3_str *out, const struct shape *s)
{
    static const char *const calls[] = {
        "lower(%s)",       "upper(%s)",         "substr(%s, 2)",        "substr(%s, 1, %d)",
        "substr(%s, -2)",  "trim(%s)",          "replace(%s, 'r', %Q)", "rtrim(%s, 'de')",
        "ltrim(%s, 'rw')", "printf('%%5s', %s)"};
    uint32_t call = next_random(12);
    if (call < 10 && call != 3 && call != 6) {
        sqlite3_str_appendf(out, calls[call], text_column(s));
    } else if (call == 3) {
        sqlite3_str_appendf(out, calls[3], text_column(s), (int)next_random(4));
    } else if (call == 6) {
        sqlite3_str_appendf(out, calls[6], text_column(s), one_in(2) ? "" : "rr");
    } else {
        sqlite3_str_appendf(out,
                            call == 10 ? "printf('%%d/%%s', %s, %s)"
                                       : "format('%%5.1f%%s', %s, %s)",
                            int_column(s), text_column(s));
    }
}

static void put_text(sqlite3_str *out, const struct shape *s, int depth)
{
    if (depth > 0 && one_in(6)) {
        put_text_call(out, s);
        return;
    }
    if (depth > 0 && one_in(8)) {
        sqlite3_str_appendf(out, one_in(3) ? "lower(%s, " : "f_label(%s, ", text_column(s));
        put_int(out, s, depth - 1);
        sqlite3_str_appendall(out, ")");
        return;
    }
    if (depth > 0 && one_in(4)) {
        sqlite3_str_appendall(out, "iif(");
        put_condition(out, s, depth - 1);
        sqlite3_str_appendf(out, ", 'it is', %s)", text_column(s));
        return;
    }
    if (depth > 0 && one_in(4)) {
        sqlite3_str_appendf(out, "%s || ' - ' || ", text_column(s));
        put_int(out, s, 0);
        return;
    }
    sqlite3_str_appendall(out, text_column(s));
}

static void put_value(sqlite3_str *out, const struct shape *s, int depth)
{
    switch (next_random(4)) {
    case 0:
        put_text(out, s, depth);
        return;
    case 1:
        put_real(out, s, depth);
        return;
    default:
        put_int(out, s, depth);
    }
}

/* What needs all values of a group. */
static void put_gathering(sqlite3_str *out, const struct shape *s)
{
    static const char *const ends[] = {", 50)", ", 99.5)", ", 0)", ", 100)"};
    uint32_t call = next_random(5);
    if (call < 2) {
        sqlite3_str_appendall(out, "group_concat(");
        put_value(out, s, one_in(2));
        sqlite3_str_appendall(out, call ? ", ' + ')" : ")");
        return;
    }
    sqlite3_str_appendall(out, call == 2   ? "percentile("
                               : call == 3 ? "median("
                                           : "percentile_disc(");
    if (one_in(3))
        put_real(out, s, 1);
    else
        put_int(out, s, 1);
    sqlite3_str_appendall(out, call == 2 ? ends[next_random(4)] : call == 3 ? ")" : ", 0.3)");
}

static void put_statistic(sqlite3_str *out, const struct shape *s)
{
    static const char *const of_one[] = {"variance(", "stddev("}, *const of_two[] = {"covar(",
                                                                                     "corr(",
                                                                                     "histogram("};
    bool two = one_in(2);
    sqlite3_str_appendall(out, two ? of_two[next_random(3)] : of_one[next_random(2)]);
    if (one_in(3))
        put_real(out, s, 1);
    else
        put_int(out, s, 1);
    if (two) {
        sqlite3_str_appendall(out, ", ");
        put_int(out, s, 1);
    }
    sqlite3_str_appendall(out, ")");
}

static void put_aggregate(sqlite3_str *out, const struct shape *s)
{
    static const char *const calls[] = {"sum(", "total(",          "avg(",         "count(", "min(",
                                        "max(", "count(DISTINCT ", "sum(DISTINCT "};
    uint32_t call = next_random(13);
    if (call == 12) {
        put_statistic(out, s);
    } else if (call >= 9) {
        put_gathering(out, s);
    } else if (call == 8) {
        sqlite3_str_appendall(out, one_in(3) ? "count()" : "count(*)");
    } else {
        sqlite3_str_appendall(out, calls[call]);
        if (call >= 3 && call <= 6)
            put_value(out, s, 1);
        else if (one_in(4))
            put_real(out, s, 1);
        else
            put_int(out, s, 1);
        sqlite3_str_appendall(out, ")");
    }
    if (one_in(8)) {
        sqlite3_str_appendall(out, " FILTER (WHERE ");
        put_condition(out, s, 0);
        sqlite3_str_appendall(out, ")");
    }
}

static void put_window(sqlite3_str *out, const struct shape *s)
{
    static const char *const calls[] = {"row_number()", "rank()",    "dense_rank()",
                                        "count(*)",     "ntile(7)",  "percent_rank()",
                                        "cume_dist()",  "ntile(900)"};
    static const char *const of_one[] = {"lag(%s)",         "lead(%s)",       "lag(%s, 2)",
                                         "lead(%s, 3)",     "sum(%s)",        "min(%s)",
                                         "max(%s)",         "avg(%s)",        "count(%s)",
                                         "first_value(%s)", "last_value(%s)", "total(%s)"};
    if (one_in(3))
        sqlite3_str_appendall(out, calls[next_random(8)]);
    else
        sqlite3_str_appendf(out, of_one[next_random(12)],
                            s->reals[0] && one_in(3) ? pick(s->reals, 4) : int_column(s));
}

static void put_order(sqlite3_str *out, const struct shape *s, uint32_t outputs)
{
    uint32_t terms = 1 + next_random(3);
    sqlite3_str_appendall(out, " ORDER BY ");
    for (uint32_t i = 0; i < terms; i++) {
        sqlite3_str_appendall(out, i ? ", " : "");
        if (one_in(4))
            put_int(out, s, 1);
        else
            sqlite3_str_appendf(out, "%u", 1 + next_random(outputs));
        sqlite3_str_appendall(out, one_in(3) ? " DESC" : "");
    }
}

static void put_limit(sqlite3_str *out)
{
    if (!one_in(3))
        return;
    sqlite3_str_appendf(out, " LIMIT %u", next_random(one_in(9) ? 3000 : 30));
    if (one_in(3))
        sqlite3_str_appendf(out, " OFFSET %u", next_random(10));
}

static void put_where(sqlite3_str *out, const struct shape *s)
{
    if (one_in(2))
        return;
    sqlite3_str_appendall(out, " WHERE ");
    put_condition(out, s, 2);
}

static void put_groups(sqlite3_str *out, const struct shape *s)
{
    uint32_t keys = next_random(4), aggregates = 1 + next_random(3);
    sqlite3_str *list = sqlite3_str_new(NULL);
    for (uint32_t i = 0; i < keys; i++) {
        sqlite3_str_appendall(list, i ? ", " : "");
        if (one_in(3))
            put_int(list, s, 1);
        else if (one_in(12))
            put_real(list, s, 1);
        else
            sqlite3_str_appendall(list,
                                  one_in(3) && s->texts[0] ? pick(s->texts, 5) : int_column(s));
    }
    char *keys_text = sqlite3_str_finish(list);
    sqlite3_str_appendf(out, "SELECT %s%s", keys ? keys_text : "", keys ? ", " : "");
    for (uint32_t i = 0; i < aggregates; i++) {
        sqlite3_str_appendall(out, i ? ", " : "");
        put_aggregate(out, s);
        if (one_in(6))
            sqlite3_str_appendall(out, one_in(2) ? " / 3" : " + count(*)");
        if (one_in(9))
            sqlite3_str_appendf(out,
                                one_in(2) ? ", round(avg(%s), 2)"
                                          : ", printf('%%.2f %%d', sum(%s) / 7.0, count(*))",
                                int_column(s));
    }
    if (keys && one_in(6))
        sqlite3_str_appendf(out, ", %s", int_column(s));
    sqlite3_str_appendf(out, " FROM %s", s->from);
    put_where(out, s);
    if (keys)
        sqlite3_str_appendf(out, " GROUP BY %s", keys_text);
    if (keys && one_in(5))
        sqlite3_str_appendall(out, one_in(2) ? " HAVING count(*) > 3" : " HAVING 1 < count(*)");
    if (one_in(2))
        put_order(out, s, keys + aggregates);
    put_limit(out);
    sqlite3_free(keys_text);
}

static void put_windows(sqlite3_str *out, const struct shape *s)
{
    const char *partition = one_in(4)                  ? NULL
                            : one_in(3) && s->texts[0] ? pick(s->texts, 5)
                                                       : int_column(s);
    const char *order = one_in(5) ? NULL : int_column(s);
    uint32_t calls = 1 + next_random(3);
    bool desc = one_in(3);
    static const char *const frames[] = {
        " ROWS UNBOUNDED PRECEDING",
        " ROWS BETWEEN 3 PRECEDING AND CURRENT ROW",
        " ROWS BETWEEN 2 PRECEDING AND 4 FOLLOWING",
        " ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING",
        " ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING",
        " RANGE BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING",
        " RANGE BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW",
        " ROWS 5 PRECEDING",
        " ROWS BETWEEN 1 FOLLOWING AND 3 FOLLOWING"};
    sqlite3_str_appendf(out, "SELECT %s", int_column(s));
    for (uint32_t i = 0; i < calls; i++) {
        sqlite3_str_appendall(out, ", ");
        put_window(out, s);
        sqlite3_str_appendall(out, " OVER (");
        if (partition)
            sqlite3_str_appendf(out, "PARTITION BY %s ", partition);
        if (order)
            sqlite3_str_appendf(out, "ORDER BY %s%s", order, desc ? " DESC" : "");
        if (one_in(3))
            sqlite3_str_appendall(out, frames[next_random(9)]);
        sqlite3_str_appendall(out, ")");
    }
    sqlite3_str_appendf(out, " FROM %s", s->from);
    put_where(out, s);
    if (one_in(3))
        put_order(out, s, calls + 1);
    put_limit(out);
}

static void put_plain(sqlite3_str *out, const struct shape *s)
{
    uint32_t outputs = 1 + next_random(3);
    sqlite3_str_appendall(out, "SELECT ");
    for (uint32_t i = 0; i < outputs; i++) {
        sqlite3_str_appendall(out, i ? ", " : "");
        put_value(out, s, 2);
    }
    sqlite3_str_appendf(out, " FROM %s", s->from);
    put_where(out, s);
    put_order(out, s, outputs);
    put_limit(out);
}

static void put_table(sqlite3_str *out, const struct shape *s)
{
    sqlite3_str_appendall(out, "CREATE OR REPLACE PERFETTO TABLE made AS SELECT ");
    put_value(out, s, 2);
    sqlite3_str_appendall(out, " AS a, ");
    put_value(out, s, 1);
    sqlite3_str_appendf(out, " AS b, %s AS c FROM %s", int_column(s), s->from);
    put_where(out, s);
    put_limit(out);
    sqlite3_str_appendall(out, "; SELECT *, _auto_id FROM made");
}

#endif
