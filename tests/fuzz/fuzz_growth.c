/* Bytes as a piece of a statement that is repeated: macro calls and pipelines sixteen times as long
 * must not take much more than sixteen times as long to become SQL. What counts is the thread's
 * time, measured again where it seems too much. */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "core/trace_builder.h"
#include "fuzz.h"
#include "sql/engine/session_state.h"
#include "sql/language/language.h"
#include "sql/language/macro.h"
#include "sql/pipelines/rewriting.h"
#include "sql/session.h"

enum { SHORT = 30, FACTOR = 16, WORDS_MAX = 12, ATTEMPTS = 5, DOUBLINGS = 40 };

/* Quadratic growth makes 256 of it; what takes less than a tenth of a second is not looked at. */
static const double growth_max = 80, seconds_free = 0.1;

static const char *const words[] = {
    "|> ",
    "|> WHERE dur > 0 ",
    "|> SELECT * ",
    "|> SELECT ts, dur, id, parent_id ",
    "|> EXTEND dur AS e ",
    "|> DROP dur ",
    "|> RENAME dur AS d ",
    "|> RENAME d AS dur ",
    "|> SET ts = dur ",
    "|> AS t ",
    "|> ORDER BY ts DESC, dur ",
    "|> AGGREGATE count(*) AS dur GROUP BY ts ",
    "|> TREE ACCUMULATE UP SUM(dur) AS x ",
    "|> INTERVAL FLATTEN AGGREGATE COUNT(*) AS id ",
    "FROM slice ",
    "(FROM slice ",
    "(SELECT 1 AS ts, 2 AS dur) ",
    "(",
    ") ",
    ", ",
    "one!(",
    "two!(1, ",
    "none!() ",
    "grow3!() ",
    "grow6!() ",
    "growing6!() ",
    "__intrinsic_token_apply!(one, (",
    "__intrinsic_stringify!(",
    "__intrinsic_token_apply_and!(two, (a, b), (",
    "$x ",
    "a ",
    "a.b ",
    "1_000 ",
    "'text' ",
    "-- note\n",
    "max(a ORDER BY b) ",
    "CASE ",
    "END ",
    "AS ",
    "SELECT ",
    "IN ",
    "EXCEPT (dur) ",
    "REPLACE (ts AS dur) ",
    "group_concat(DISTINCT a ",
    "iif(a, ",
    "\"quoted\" ",
};

enum { WORDS = sizeof words / sizeof *words };

static struct {
    struct trace trace;
    struct sql_session *session;
} made;

static void make(void)
{
    struct status s;
    trace_init(&made.trace);
    trace_finish(&made.trace);
    made.session = sql_session_new(&made.trace, &s);
    sqlite3_str *text = sqlite3_str_new(NULL);
    sqlite3_str_appendall(text, "CREATE PERFETTO MACRO one(x Expr) RETURNS Expr AS $x;"
                                "CREATE PERFETTO MACRO two(x Expr, y Expr) RETURNS Expr AS $x + $y;"
                                "CREATE PERFETTO MACRO none() RETURNS Expr AS 1;"
                                "CREATE PERFETTO MACRO grow0() RETURNS Expr AS a;"
                                "CREATE PERFETTO MACRO growing0() RETURNS Expr AS |> WHERE a;");
    for (int i = 1; i < DOUBLINGS; i++)
        sqlite3_str_appendf(text,
                            "CREATE PERFETTO MACRO grow%d() RETURNS Expr AS grow%d!(), grow%d!();"
                            "CREATE PERFETTO MACRO growing%d() RETURNS Expr AS growing%d!() "
                            "growing%d!();",
                            i, i - 1, i - 1, i, i - 1, i - 1);
    char *script = sqlite3_str_finish(text);
    if (status_ok(s))
        s = sql_session_run(made.session, "macros", str_from(script), NULL);
    if (!status_ok(s))
        abort();
    sqlite3_free(script);
}

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void rewrite(struct str text)
{
    struct language *l = made.session->language;
    struct sql_source source = {.name = "fuzz", .text = text};
    struct token_list tokens = {0};
    struct sql_parsed expanded = {0};
    arena_init(&expanded.arena);
    lexer_statement(&source, 0, &tokens);
    struct status s = macro_expand(&l->macros, &l->scratch, NULL, tokens.v.items, tokens.v.count,
                                   &expanded.tokens);
    if (status_ok(s))
        s = statement_rewrite(made.session, &expanded, NULL);
    status_release(&s);
    vec_release(&tokens.v);
    sql_parsed_release(&expanded);
    arena_release(&l->scratch);
    arena_init(&l->scratch);
}

/* "first piece piece ... last close close ...". For sqlite3_free. */
static char *repeat(const char *const parts[4], int times)
{
    sqlite3_str *text = sqlite3_str_new(NULL);
    sqlite3_str_appendall(text, parts[0]);
    for (int i = 0; i < times; i++)
        sqlite3_str_appendall(text, parts[1]);
    sqlite3_str_appendall(text, parts[2]);
    for (int i = 0; i < times; i++)
        sqlite3_str_appendall(text, parts[3]);
    return sqlite3_str_finish(text);
}

static double seconds_for(const char *const parts[4], int times)
{
    char *text = repeat(parts, times);
    double start = seconds();
    rewrite(str_from(text));
    double took = seconds() - start;
    sqlite3_free(text);
    return took;
}

static char *take_words(const uint8_t **p, const uint8_t *end, size_t most)
{
    sqlite3_str *text = sqlite3_str_new(NULL);
    size_t n = *p < end ? *(*p)++ % (most + 1) : 0;
    for (; n > 0 && *p < end; n--)
        sqlite3_str_appendall(text, words[*(*p)++ % WORDS]);
    char *s = sqlite3_str_finish(text);
    return s ? s : sqlite3_mprintf("");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const uint8_t *p = data, *end = data + size;
    char *parts[4];
    if (!made.session)
        make();
    for (size_t i = 0; i < 4; i++)
        parts[i] = take_words(&p, end, i == 1 ? WORDS_MAX : 4);
    bool fits = false;
    for (int i = 0; i < ATTEMPTS && !fits; i++) {
        double brief = seconds_for((const char *const *)parts, SHORT);
        double longer = seconds_for((const char *const *)parts, SHORT * FACTOR);
        fits = longer < seconds_free + growth_max * brief;
        if (!fits)
            fprintf(stderr, "%.3f s, %.3f s: %s[%s]%s[%s]\n", brief, longer, parts[0], parts[1],
                    parts[2], parts[3]);
    }
    if (!fits)
        abort();
    for (size_t i = 0; i < 4; i++)
        sqlite3_free(parts[i]);
    return 0;
}
