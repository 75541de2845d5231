/* Bytes as a statement that calls what SQL has: functions, aggregates, windows, table functions,
 * operators and macros, all by the program's own lists, with odd values and with each other's
 * results. Whatever it is, it must end, in rows or in an error. A statement of functions and
 * aggregates is compiled once and run often, each time with other values bound. The input "sweep"
 * calls each function with each value at each place. With FUZZ_SHOW it prints the statements, with
 * FUZZ_COUNT how many calls there were. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/vec.h"
#include "core/store/args.h"
#include "core/trace_builder.h"
#include "brief.h"
#include "fuzz.h"
#include "parsers/load.h"
#include "sql/engine/family.h"
#include "sql/engine/session_state.h"
#include "sql/language/language.h"
#include "sql/session.h"

enum {
    DEPTH_MAX = 4,
    ARGUMENTS_MAX = 8,
    LENGTH_MAX = 3 << 20,
    RUN_MS = 50,
    ROUNDS = 256, /* of a statement that is run often */
    KEPT = 32,    /* of its results, which are bound again */
    OFTEN = 0xa0, /* an input's first byte from which on it is such a statement */
};

struct callable {
    char *name;
    int argc; /* -1: any number */
    char type;
};

struct names {
    VEC(struct callable) v;
};

/* Made once: statements define nothing that stays. */
static struct {
    struct trace trace;
    struct sql_session *session;
    struct names functions, aggregates, windows, tables, macros;
    size_t calls;
} made;

static const char sweep_word[] = "sweep";

static const char events[] =
    "[{\"ph\":\"X\",\"ts\":1,\"dur\":9,\"pid\":1,\"tid\":2,\"name\":\"a\",\"cat\":\"c\","
    "\"args\":{\"x\":1,\"y\":[1.5,\"t\",{\"z\":null}]}},"
    "{\"ph\":\"X\",\"ts\":2,\"dur\":3,\"pid\":1,\"tid\":2,\"name\":\"b\"},"
    "{\"ph\":\"X\",\"ts\":3,\"dur\":1,\"pid\":1,\"tid\":2,\"name\":\"a\"},"
    "{\"ph\":\"B\",\"ts\":4,\"pid\":1,\"tid\":3,\"name\":\"never ends\"},"
    "{\"ph\":\"s\",\"id\":1,\"ts\":2,\"pid\":1,\"tid\":2,\"name\":\"f\",\"cat\":\"c\"},"
    "{\"ph\":\"f\",\"bp\":\"e\",\"id\":1,\"ts\":4,\"pid\":1,\"tid\":3,\"name\":\"f\",\"cat\":\"c\"}"
    ","
    "{\"ph\":\"C\",\"ts\":1,\"pid\":1,\"name\":\"n\",\"args\":{\"v\":1}},"
    "{\"ph\":\"C\",\"ts\":5,\"pid\":1,\"name\":\"n\",\"args\":{\"v\":-2.5}},"
    "{\"ph\":\"b\",\"id\":7,\"ts\":1,\"pid\":1,\"tid\":2,\"name\":\"async\",\"cat\":\"c\"},"
    "{\"ph\":\"e\",\"id\":7,\"ts\":8,\"pid\":1,\"tid\":2,\"name\":\"async\",\"cat\":\"c\"},"
    "{\"ph\":\"M\",\"pid\":1,\"tid\":2,\"name\":\"thread_name\",\"args\":{\"name\":\"t\"}}]";

/* Literals, and columns where there are rows: those of `odd` and `few`. */
static const char *const values[] = {
    "hex(zeroblob(524288))",
    "CAST(zeroblob(1048576) AS TEXT)",
    "printf('%.1000000c', '(')",
    "zeroblob(1048576)",
    "NULL",
    "0",
    "1",
    "-1",
    "2",
    "3",
    "10",
    "64",
    "1000",
    "4294967295",
    "4294967296",
    "2147483648",
    "-2147483649",
    "9223372036854775807",
    "(-9223372036854775807 - 1)",
    "0.0",
    "-0.0",
    "0.5",
    "1e308",
    "9e999",
    "-9e999",
    "1e-320",
    "9223372036854775808.0",
    "(9e999 - 9e999)",
    "''",
    "'a'",
    "'id'",
    "'ts'",
    "'c0'",
    "'up'",
    "'*'",
    "'x\xff\xfe'",
    "'\xe2\x82\xac'",
    "'a.b[3].c'",
    "'slice'",
    "'SELECT * FROM $table'",
    "'(SELECT id, 1 AS b FROM slice)'",
    "'{\"a\":[1,{\"b\":null}]}'",
    "'{\"a\":[[['",
    "'(a*)*b'",
    "'[a-'",
    "'%s%*d%.*f%c%!g%n'",
    "'%.999999999d'",
    "'1970-01-01'",
    "'/'",
    "','",
    "'0x7fffffffffffffff'",
    "'9999999999999999999'",
    "'nan'",
    "x''",
    "x'00'",
    "x'0a020801'",
    "x'0affffffff0f'",
    "x'ffffffffffffffffffff01'",
    "randomblob(64)",
    "a",
    "b",
    "c",
    "d",
    "*",
};

/* The first ones take long, the last ones are columns. */
enum { VALUES = sizeof values / sizeof *values, CONSTANTS = VALUES - 5, LARGE = 4 };

static const char *const sources[] = {
    "odd",
    "few",
    "(SELECT id AS a, parent_id AS b, ts AS c, dur AS d FROM slice)",
    "(SELECT utid AS a, upid AS b, name AS c, tid AS d FROM thread)",
    "(SELECT ts AS a, value AS b, track_id AS c, id AS d FROM counter ORDER BY ts)",
    "(SELECT arg_set_id AS a, key AS b, display_value AS c, real_value AS d FROM args)",
    "(SELECT 1 AS a, NULL AS b, NULL AS c, NULL AS d WHERE 0)",
    "(SELECT a, b, c, d FROM few ORDER BY b DESC)",
    ("(SELECT column1 AS a, column2 AS b, column3 AS c, column4 AS d FROM (VALUES (0, NULL, 0, 5),"
     " (1, 0, 2, 3), (2, 1, 3, 0), (3, 0, 9223372036854775800, 100), (0, 3, 1, -1)))"),
};

enum { SOURCES = sizeof sources / sizeof *sources };

struct generator {
    const uint8_t *p, *end;
    sqlite3_str *out;
    int depth;
    bool binds; /* most values are bound */
};

static uint32_t choose(struct generator *g, size_t below)
{
    uint32_t v = 0;
    for (int i = 0; i < (below > 256 ? 2 : 1); i++)
        v = v << 8 | (g->p < g->end ? *g->p++ : 0);
    return below ? v % (uint32_t)below : 0;
}

static void put(struct generator *g, const char *text)
{
    sqlite3_str_appendall(g->out, text);
}

static void put_expression(struct generator *g);

static void put_arguments(struct generator *g, int argc)
{
    for (int i = 0; i < argc; i++) {
        put(g, i ? ", " : "");
        put_expression(g);
    }
}

/* As many as it takes, now and then one less or more. */
static int choose_count(struct generator *g, const struct callable *c)
{
    uint32_t how = choose(g, 32);
    if (c->argc < 0)
        return (int)how % ARGUMENTS_MAX;
    return how == 31 ? c->argc + 1 : how == 30 && c->argc > 0 ? c->argc - 1 : c->argc;
}

static void put_call(struct generator *g, const struct names *from)
{
    if (from->v.count == 0) {
        put(g, "NULL");
        return;
    }
    const struct callable *c = &from->v.items[choose(g, from->v.count)];
    made.calls++;
    sqlite3_str_appendf(g->out, "\"%w\"(", c->name);
    put_arguments(g, choose_count(g, c));
    put(g, ")");
}

static void put_aggregate(struct generator *g)
{
    const struct callable *c = &made.aggregates.v.items[choose(g, made.aggregates.v.count)];
    uint32_t how = choose(g, 8);
    made.calls++;
    sqlite3_str_appendf(g->out, "(SELECT \"%w\"(%s", c->name, how == 0 ? "DISTINCT " : "");
    put_arguments(g, choose_count(g, c));
    put(g, how == 1 ? " ORDER BY b" : "");
    sqlite3_str_appendf(g->out, ")%s FROM %s)", how == 2 ? " FILTER (WHERE a > 0)" : "",
                        sources[choose(g, SOURCES)]);
}

static void put_expression(struct generator *g)
{
    uint32_t kind = choose(g, 16);
    if (++g->depth > DEPTH_MAX || (g->binds && kind < 13))
        put(g, "?");
    else if (kind < 9)
        put(g, values[kind == 8 && choose(g, 4) == 0 ? choose(g, LARGE)
                                                     : LARGE + choose(g, VALUES - LARGE)]);
    else if (kind < 12)
        put_call(g, &made.functions);
    else
        put_aggregate(g);
    g->depth--;
}

static void put_condition(struct generator *g)
{
    static const char *const operators[] = {"=",  "<",  ">=",   "<>",   "IS",     "IS NOT",
                                            "IN", "||", "LIKE", "GLOB", "REGEXP", "->>"};
    static const char *const columns[] = {"id", "ts", "name", "c0", "c1", "a", "b", "rowid"};
    uint32_t operator= choose(g, sizeof operators / sizeof *operators);
    sqlite3_str_appendf(g->out, " WHERE %s %s %s", columns[choose(g, 8)], operators[operator],
                        operator== 6 ? "(" : "");
    put_expression(g);
    put(g, operator== 6 ? ")" : "");
}

static void put_pointer_table(struct generator *g)
{
    static const char *const names[] = {"id", "ts", "dur", "f0", "node_id", "parent_node_id"};
    put(g, "SELECT c0, c1, c2 FROM __intrinsic_table_ptr(");
    put_expression(g);
    sqlite3_str_appendf(g->out,
                        ") WHERE __intrinsic_table_ptr_bind(c0, '%s') AND "
                        "__intrinsic_table_ptr_bind(c1, '%s')",
                        names[choose(g, 6)], names[choose(g, 6)]);
}

static void put_table_call(struct generator *g)
{
    put(g, "SELECT * FROM ");
    if (choose(g, 4) == 0)
        sqlite3_str_appendf(g->out, "%s CROSS JOIN ", sources[choose(g, SOURCES)]);
    put_call(g, &made.tables);
    if (choose(g, 2))
        put_condition(g);
    put(g, " LIMIT 50");
}

static void put_operator(struct generator *g)
{
    const struct callable *c = &made.tables.v.items[choose(g, made.tables.v.count)];
    made.calls++;
    sqlite3_str_appendf(g->out, "CREATE VIRTUAL TABLE fuzzed USING \"%w\"(", c->name);
    switch (choose(g, 4)) {
    case 0:
        sqlite3_str_appendf(g->out, "%s", sources[choose(g, SOURCES)]);
        break;
    case 1:
        put(g, "(SELECT a AS id, b AS parent_id, c AS name, d AS value, a AS ts, d AS dur, "
               "b AS track_id, c AS depth FROM few)");
        break;
    case 2:
        put(g, "intervals PARTITIONED p, others PARTITIONED p");
        break;
    default:
        put_arguments(g, 1 + (int)choose(g, 4));
    }
    put(g, "); SELECT * FROM fuzzed(");
    put_arguments(g, (int)choose(g, 5));
    put(g, ") LIMIT 50; SELECT * FROM fuzzed");
    put_condition(g);
}

static void put_window(struct generator *g)
{
    static const char *const frames[] = {
        "", " ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING",
        " RANGE BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW",
        " GROUPS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING EXCLUDE TIES"};
    put(g, "SELECT ");
    put_call(g, choose(g, 2) ? &made.windows : &made.aggregates);
    sqlite3_str_appendf(g->out, " OVER (PARTITION BY %s ORDER BY b%s) FROM %s",
                        values[choose(g, VALUES)], frames[choose(g, 4)],
                        sources[choose(g, SOURCES)]);
}

static void put_macro(struct generator *g)
{
    if (made.macros.v.count == 0)
        return;
    static const char *const arguments[] = {"slice", "few",        "a",  "b",  "(a, b)",   "()",
                                            "(c)",   "(few, few)", "id", "ts", "intervals"};
    const struct callable *c = &made.macros.v.items[choose(g, made.macros.v.count)];
    made.calls++;
    sqlite3_str_appendf(g->out, "SELECT %s%s!(", choose(g, 4) ? "* FROM " : "", c->name);
    for (int i = 0; i < c->argc; i++) {
        put(g, i ? ", " : "");
        uint32_t how = choose(g, 24);
        if (how < 11)
            put(g, arguments[how]);
        else if (how < 16)
            put(g, sources[choose(g, SOURCES)]);
        else
            put_expression(g);
    }
    put(g, ") LIMIT 50");
}

static void put_statement(struct generator *g)
{
    switch (choose(g, 8)) {
    case 0:
        put(g, "SELECT ");
        put_call(g, &made.functions);
        break;
    case 1:
        put(g, "SELECT ");
        put_aggregate(g);
        break;
    case 2:
        put_window(g);
        break;
    case 3:
        put_table_call(g);
        break;
    case 4:
        put_pointer_table(g);
        break;
    case 5:
        put_operator(g);
        break;
    case 6:
        put_macro(g);
        break;
    default:
        put(g, "SELECT ");
        put_call(g, choose(g, 2) ? &made.functions : &made.aggregates);
        sqlite3_str_appendf(g->out, " FROM %s", sources[choose(g, SOURCES)]);
        put_condition(g);
        put(g, choose(g, 2) ? " GROUP BY a" : "");
    }
}

/* Reads every byte, so that a sanitizer sees what is not there. */
static bool take_row(void *self, int columns, const struct sql_value *row)
{
    size_t *rows = self;
    volatile uint8_t sum = 0;
    for (int i = 0; i < columns; i++)
        for (size_t k = 0; row[i].type >= SQL_TEXT && k < row[i].s.n; k++)
            sum = sum ^ (uint8_t)row[i].s.p[k];
    return ++*rows < 200;
}

static void run(const char *text)
{
    size_t rows = 0;
    struct sql_sink sink = {.row = take_row, .self = &rows};
    struct status s = sql_session_run(made.session, "fuzz", str_from(text), &sink);
    status_release(&s);
}

/* What takes long must be possible to stop: it is, and libFuzzer looks whether it did. */
static void run_briefly(const char *text)
{
    if (getenv("FUZZ_SHOW"))
        fprintf(stderr, "%s\n", text);
    brief_set(made.session, RUN_MS);
    run(text);
    brief_set(NULL, 0);
    sql_session_resume(made.session);
}

/* Statements that are run often. */

/* The constants and what came out of functions. */
static struct {
    sqlite3_value *values[CONSTANTS], *kept[KEPT];
    uint64_t state;
} bound;

static uint32_t random_below(uint32_t n)
{
    bound.state = bound.state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(bound.state >> 33) % n;
}

static void make_values(void)
{
    for (size_t i = 0; i < CONSTANTS; i++) {
        sqlite3_stmt *stmt = NULL;
        char *query = sqlite3_mprintf("SELECT %s", values[i]);
        if (sqlite3_prepare_v2(made.session->db, query, -1, &stmt, NULL) == SQLITE_OK &&
            sqlite3_step(stmt) == SQLITE_ROW)
            bound.values[i] = sqlite3_value_dup(sqlite3_column_value(stmt, 0));
        sqlite3_finalize(stmt);
        sqlite3_free(query);
    }
}

static const sqlite3_value *random_value(void)
{
    uint32_t how = random_below(256);
    if (how < 64)
        return bound.kept[how % KEPT];
    return bound.values[how == 64 ? random_below(LARGE) : LARGE + random_below(CONSTANTS - LARGE)];
}

static void bind_values(sqlite3_stmt *stmt)
{
    for (int i = 1; i <= sqlite3_bind_parameter_count(stmt); i++) {
        const sqlite3_value *v = random_value();
        if (!v)
            sqlite3_bind_int64(stmt, i, (sqlite3_int64)random_below(64));
        else
            sqlite3_bind_value(stmt, i, v);
    }
}

static void keep(sqlite3_stmt *stmt)
{
    sqlite3_value **place = &bound.kept[random_below(KEPT)];
    if (sqlite3_column_bytes(stmt, 0) > 1 << 16)
        return;
    sqlite3_value_free(*place);
    *place = sqlite3_value_dup(sqlite3_column_value(stmt, 0));
}

/* Until it took too long, too. */
static void run_often(const char *text, size_t calls)
{
    sqlite3_stmt *stmt = NULL;
    if (getenv("FUZZ_SHOW"))
        fprintf(stderr, "%s\n", text);
    if (session_prepare(made.session, text, 0, &stmt) != SQLITE_OK || !stmt)
        return;
    brief_set(made.session, RUN_MS);
    for (int i = 0, rc = SQLITE_OK; i < ROUNDS && rc != SQLITE_INTERRUPT; i++) {
        bind_values(stmt);
        rc = sqlite3_step(stmt);
        if (rc == SQLITE_ROW)
            keep(stmt);
        sqlite3_reset(stmt);
        made.calls += calls;
    }
    brief_set(NULL, 0);
    sqlite3_finalize(stmt);
    sql_session_resume(made.session);
}

static void put_and_run_often(struct generator *g)
{
    size_t before = made.calls;
    g->binds = true;
    bound.state = 0;
    put(g, "SELECT ");
    if (choose(g, 4) == 0)
        put_aggregate(g);
    else
        put_call(g, &made.functions);
    for (const uint8_t *p = g->p; p < g->end; p++)
        bound.state = bound.state * 31 + *p;
    char *text = sqlite3_str_finish(g->out);
    if (text)
        run_often(text, made.calls - before);
    sqlite3_free(text);
}

static void add(struct names *to, const char *name, int argc, char type)
{
    *vec_push(&to->v) = (struct callable){alloc_copy(name, strlen(name)), argc, type};
}

static void read_names(void)
{
    sqlite3_stmt *stmt;
    sqlite3_prepare_v2(made.session->db,
                       "SELECT DISTINCT name, narg, type FROM pragma_function_list "
                       "UNION ALL SELECT name, -1, 't' FROM pragma_module_list ORDER BY 3, 1, 2",
                       -1, &stmt, NULL);
    while (sqlite3_step(stmt) == SQLITE_ROW) {
        const char *name = (const char *)sqlite3_column_text(stmt, 0);
        char type = (char)sqlite3_column_text(stmt, 2)[0];
        struct names *to = type == 's'   ? &made.functions
                           : type == 'a' ? &made.aggregates
                           : type == 'w' ? &made.windows
                                         : &made.tables;
        add(to, name, sqlite3_column_int(stmt, 1), type);
        if (type == 'w') /* nearly all are aggregates, too */
            add(&made.aggregates, name, sqlite3_column_int(stmt, 1), type);
    }
    sqlite3_finalize(stmt);
    for (size_t i = 0; i < made.session->language->macros.v.count; i++) {
        const struct macro *m = &made.session->language->macros.v.items[i];
        add(&made.macros, m->name, (int)m->parameters.count, 'm');
    }
}

static void show_calls(void)
{
    if (getenv("FUZZ_COUNT"))
        fprintf(stderr, "%zu calls\n", made.calls);
}

static void make(void)
{
    struct status s;
    struct arg_list args = {0};
    trace_init(&made.trace);
    arg_list_real(&args, trace_intern_c(&made.trace, "nan"), (double)NAN);
    arg_list_real(&args, trace_intern_c(&made.trace, "inf"), (double)INFINITY);
    args_intern(&made.trace.args, &args);
    arg_list_release(&args);
    s = trace_load_memory(&made.trace, "events", (const uint8_t *)events, sizeof events - 1, NULL);
    if (status_ok(s))
        made.session = sql_session_new(&made.trace, &s);
    if (!status_ok(s))
        abort();
    run("INCLUDE PERFETTO MODULE *");
    run("CREATE TABLE odd AS SELECT column1 AS a, column2 AS b, column3 AS c, column4 AS d FROM "
        "(VALUES (NULL, NULL, NULL, NULL), (0, 1, 'a', 5), (1, 0, '', -1),"
        " (9223372036854775807, 9e999, x'00ff', -9e999), (-5, 'x', 1.5, 0));"
        "CREATE TABLE few AS SELECT id AS a, parent_id AS b, name AS c, dur AS d FROM slice;"
        "CREATE TABLE intervals AS SELECT id, ts, dur, track_id AS p FROM slice WHERE dur > 0;"
        "CREATE TABLE others AS SELECT id AS o, ts, dur, 0 AS p FROM slice WHERE depth = 0");
    sqlite3_limit(made.session->db, SQLITE_LIMIT_LENGTH, LENGTH_MAX);
    read_names();
    make_values();
    atexit(show_calls);
}

/* name(v, 1, 1), name(1, v, 1), ..., name(v, v, v); or the same with rows. */
static void sweep_one(const struct callable *c, int argc, const char *format)
{
    for (size_t v = 0; v < CONSTANTS; v++)
        for (int place = 0; place <= argc && (argc > 0 || v == 0); place++) {
            sqlite3_str *arguments = sqlite3_str_new(NULL);
            for (int i = 0; i < argc; i++)
                sqlite3_str_appendf(arguments, "%s%s", i ? ", " : "",
                                    place == i || place == argc ? values[v] : values[(i + v) % 6]);
            char *text = sqlite3_str_finish(arguments);
            char *query = sqlite3_mprintf(format, c->name, text ? text : "");
            run_briefly(query);
            made.calls++;
            sqlite3_free(query);
            sqlite3_free(text);
        }
}

static void sweep(const struct names *names, const char *format)
{
    for (size_t i = 0; i < names->v.count; i++) {
        const struct callable *c = &names->v.items[i];
        for (int argc = c->argc < 0 ? 0 : c->argc; argc <= (c->argc < 0 ? 5 : c->argc); argc++)
            sweep_one(c, argc, format);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (!made.session)
        make();
    if (size == sizeof sweep_word - 1 && memcmp(data, sweep_word, size) == 0) {
        sweep(&made.functions, "SELECT \"%w\"(%s)");
        sweep(&made.aggregates, "SELECT \"%w\"(%s) FROM few");
        sweep(&made.windows, "SELECT \"%w\"(%s) OVER (ORDER BY a) FROM few");
        sweep(&made.tables, "SELECT * FROM \"%w\"(%s) LIMIT 20");
        return 0;
    }
    struct generator g = {.p = data, .end = data + size, .out = sqlite3_str_new(NULL)};
    if (size > 0 && data[0] >= OFTEN) {
        put_and_run_often(&g);
        return 0;
    }
    put_statement(&g);
    char *text = sqlite3_str_finish(g.out);
    if (text)
        run_briefly(text);
    run("DROP TABLE IF EXISTS fuzzed");
    sqlite3_free(text);
    return 0;
}
