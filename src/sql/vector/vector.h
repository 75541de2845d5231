/* Queries over columns instead of rows.
 *
 * SQLite reads a row, works on its values one instruction at a time and goes on to the next. What
 * is asked of a trace mostly reads all rows of one large table and leaves few: sums by name, states
 * by thread, the longest slices. Such a SELECT is answered here, over the columns that the tables
 * consist of, a thousand rows at a time. The shapes:
 *
 *     SELECT expressions of groups
 *     FROM table, view or subquery [JOIN or LEFT JOIN others along the numbers of their rows, also
 *       of a view that leaves rows out, or of a subquery by a column that has each value once; one
 *       JOIN by equal integers or with ancestor_slice(id) and its like, whose rows may be several]
 *     [WHERE condition] [GROUP BY values [HAVING condition]]
 *     [ORDER BY ...] [LIMIT n [OFFSET n]]
 *
 * or several of them put together by UNION ALL, where some may say NULL, with count, sum, total,
 * avg, min and max, also of DISTINCT values or with FILTER, percentile and its kin, group_concat,
 * and those of sql/values/statistics.h; the same without groups where an ORDER BY has to sort, or
 * with window functions over one partition and order (row_number, rank, dense_rank, percent_rank,
 * cume_dist, ntile, lag, lead, first_value, last_value, and aggregates over ROWS, or over RANGE up
 * to the row or to the end). Expressions are columns, constants, arithmetic, comparisons, AND, OR,
 * NOT, IN, BETWEEN, CASE, LIKE, GLOB, ||, coalesce, iif, abs, min and max of several integers,
 * extract_arg, casts, lower, upper, substr, trim, length, instr and replace of texts, and round,
 * printf and format of what leaves the SELECT, of values whose types are known beforehand: no row's
 * value can be of another. (A key's type is that of the first args that are looked at; another one
 * refuses the statement.) A call of a script's function whose body is one such expression is that
 * body. A SELECT of one column that stands for itself may be a value, or the list of an IN; one
 * whose columns are compared for equality with the row around it a value, or what EXISTS asks for.
 * WITH and subqueries in FROM may be of these shapes themselves, also those that
 * _interval_intersect! or a span join is given, whose rows may stand in FROM. The body of CREATE
 * PERFETTO TABLE, and what asks a SELECT for each of all its rows, may besides be one that only
 * filters and computes.
 *
 * Where SQLite has to do a statement, parts of it that it would run apart (sql/script/
 * script_parts.h) are still answered here: those with groups, windows, or the first rows of an
 * order.
 *
 * Everything else stays with SQLite, and so does what turns out to be special while it runs (an
 * integer that overflows, a division that SQLite would do otherwise): there is no message of this
 * module's own, and no result that SQLite would not give, to the bit. That is
 * why it is an all or nothing before the first row is handed out. The order of rows is that of
 * docs/SQL.md.
 *
 * The way of a statement: eligibility.c gives up at once on those that read only small tables or
 * have what is always SQLite's. bind_select.c reads the clauses, bind_from.c the tables (views,
 * subqueries and WITHs that only name, compute and filter become part of the SELECT that reads
 * them, others run first), bind_union.c what UNION ALL puts together, bind_operator.c what
 * operators make of whole inputs, bind_spans.c span joins, bind_uncorrelated.c and
 * bind_correlated.c the subqueries; bind_expression.c and bind_call.c give every expression one
 * static type, so that a loop over 1,024 values looks at no types (evaluate.c). settle.c decides
 * how it is run, which sql/batches does: source.c reads the first table with the scan that SQLite's
 * virtual table uses and looks others up (expansion.c where there are several); aggregate.c,
 * gathered.c, window.c, top.c and sort.c make groups, windows and orders, output.c hands out the
 * rows. Nothing runs while SQLite compiles; while it steps, a span join that is SQLite's reads its
 * inputs here (sql_session.read_over_columns). refusal.c notes for EXPLAIN QUERY PLAN what was not
 * understood.
 *
 * Texts are ids of the trace's pool; those that || and group_concat make are interned, up to
 * 65,536 of a statement. Columns beside a min() or max() are of the first row that has it. Left to
 * SQLite are tables below 4,096 rows, orders that a table is in already, conditions that leave
 * less than a sixteenth of a table that is looked up and of the rows that look it up (an index then
 * finds the few others), a lone min() or max(), what reads a name that a temporary table has, too,
 * and everything once a session has run a PRAGMA, or with --no-vector.
 *
 * tests/test_vector.c runs random statements both ways; VECTOR_STATEMENTS=1000000 runs more. */
#ifndef TPTUI_SQL_VECTOR_VECTOR_H
#define TPTUI_SQL_VECTOR_VECTOR_H

#include "base/status.h"
#include "sql/engine/sink.h"
#include "sql/grammar/tree.h"
#include "sql/tokens/sql_type.h"

struct sql_session;
struct table_builder;

/* A SELECT of a text. */
struct vector_text {
    const struct token *tokens;    /* that the nodes are made of */
    const struct sql_node *select; /* of a tree that is whole */
    const struct sql_node *with;   /* a WITH around it, or NULL, */
    uint32_t seen;                 /* of which it may read so many tables, the first ones */
};

/* A scalar function that a script has defined, the body of which is a value and no more. */
struct vector_function {
    const struct function_parameter *parameters;
    uint32_t count;
    const struct token *tokens; /* that the value is made of */
    const struct sql_node *value;
};

#define VECTOR_TABLE_FUNCTION UINT32_MAX

/* Why a SELECT is SQLite's (vector/refusal.h). */
struct vector_refusal {
    char construct[160]; /* as it is written, or in words; "": nothing was noted */
};

/* What a plan depends on besides its text. */
struct vector_environment {
    uint32_t least_rows; /* of the largest table: smaller ones are not worth it */
    bool builds;         /* the rows become a table: also those of a SELECT that only filters */
    bool is_part;        /* of a statement: groups, windows, or the first rows of an order */
    /* Whether a script has defined a function of that name and so many arguments, or one that
     * gives a table. */
    bool (*function_is_taken)(struct sql_session *s, struct str name, uint32_t arguments);
    /* That function; NULL where there is none, or its body is more than a value. It
     * lives as long as the function does. */
    const struct vector_function *(*find_function)(struct sql_session *s, struct str name,
                                                   uint32_t arguments);
    struct vector_refusal *refusal; /* filled where there is no plan; NULL: nobody asks */
};

struct plan;

/* Whether there is an aggregate of that name here. */
bool vector_is_aggregate(struct str name);

/* What a SELECT becomes; NULL where SQLite has to do it. The text is not needed any more then. */
struct plan *vector_plan(struct sql_session *s, const struct vector_environment *environment,
                         const struct vector_text *text);
void vector_free(struct plan *p);

uint32_t vector_columns(const struct plan *p);
/* A column's name as SQLite gives it. */
const char *vector_column_name(const struct plan *p, uint32_t column);
/* One line for EXPLAIN QUERY PLAN, for sqlite3_free. */
char *vector_describe(const struct plan *p);

/* Where the rows go; each callback returns false to stop. */
struct vector_sink {
    bool (*row)(void *self, const struct sql_value *values);
    void *self;
};

enum vector_result {
    VECTOR_DONE,
    VECTOR_ABORTED, /* the sink had enough, or the session was interrupted */
    VECTOR_REFUSED  /* SQLite has to do it: no row was handed out */
};

enum vector_result vector_run(struct plan *p, const struct vector_sink *sink);

/* What SQLite would take the SELECT for as part of a statement: about how many rows its planner
 * counts on, and a column's affinity ('i' integer, 'r' real, 't' text, 'n' none, '?' not
 * known: it cannot be one). */
uint64_t vector_estimate(const struct plan *p);
char vector_column_affinity(const struct plan *p, uint32_t column);
/* Whether SQLite could hand out rows before it has read all. */
bool vector_may_stream(const struct plan *p);

/* The type of all values of a column. */
enum sql_type vector_column_type(const struct plan *p, uint32_t column);
/* Puts the rows into a table's columns, of those types. Where it is refused none is there. */
enum vector_result vector_build(struct plan *p, struct table_builder *out);

#endif
