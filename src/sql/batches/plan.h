/* A SELECT that was understood: what the parts of sql/vector hand to each other. All of it lies in
 * the plan's arena. */
#ifndef TPTUI_SQL_BATCHES_PLAN_H
#define TPTUI_SQL_BATCHES_PLAN_H

#include "base/arena.h"
#include "base/vec.h"
#include "sql/engine/session_state.h"
#include "sql/engine/span_source.h"
#include "sql/tables/sql_table.h"
#include "sql/tables/table_scan.h"
#include "sql/tokens/lexer.h"
#include "sql/batches/dictionary.h"
#include "sql/batches/relation.h"

enum {
    BATCH = 1024,      /* rows that are worked on at a time */
    TABLES_MAX = 8,    /* of one SELECT, views that it looks through included */
    DEPTH_MAX = 48,    /* of expressions and of SELECTs in each other */
    TREE_MAX = 16384,  /* nodes of an expression: each walk through it goes to all of them */
    NODES_MAX = 4000,  /* of a statement's expressions, repeated by views that are looked through */
    QUERIES_MAX = 200, /* SELECTs that were looked at: each twice where what is in it fails */
    MADE = 256         /* lists of those that were made */
};

enum expr_op {
    EXPR_CONST,
    EXPR_COLUMN,
    EXPR_ROW,       /* the number of `table`'s row, -1 where a LEFT JOIN has none */
    EXPR_AGGREGATE, /* number `column` of the SELECT's aggregates */
    EXPR_WINDOW,    /* of its window functions */
    EXPR_ADD,
    EXPR_SUBTRACT,
    EXPR_MULTIPLY,
    EXPR_DIVIDE,
    EXPR_REMAINDER,
    EXPR_BIT_AND,
    EXPR_BIT_OR,
    EXPR_EQ,
    EXPR_NE,
    EXPR_LT,
    EXPR_LE,
    EXPR_GT,
    EXPR_GE,
    EXPR_IS, /* as EQ, but NULL is NULL */
    EXPR_IS_NOT,
    EXPR_AND,
    EXPR_OR,
    EXPR_NOT,
    EXPR_IS_NULL,
    EXPR_NOT_NULL,
    EXPR_IN, /* args[0] in the constants behind it */
    EXPR_LIKE,
    EXPR_GLOB,
    EXPR_CASE, /* when, then, when, then, ... and perhaps else */
    EXPR_COALESCE,
    EXPR_LEAST, /* NULL where one of the values is */
    EXPR_GREATEST,
    EXPR_CONCAT, /* texts and integers */
    EXPR_ARG,    /* of the set args[0] what the key args[1] says; of one type, or it is refused */
    EXPR_STATE_END,   /* __intrinsic_thread_state_end */
    EXPR_SLICE_STACK, /* __intrinsic_slice_stack */
    EXPR_ABS,
    EXPR_TO_INT,
    EXPR_TO_REAL,
    EXPR_IN_ROWS,    /* args[0] among the rows of `uncorrelated` */
    EXPR_CORRELATED, /* what `correlated` has for the keys args */
    EXPR_VALUE,      /* that of `uncorrelated`; like a constant but for when it is known */
    EXPR_CALL,       /* what SQLite makes of args[1] and those behind it by the SELECT args[0] */
};

/* The type of every value that is not NULL; VALUE_NULL where all are. */
enum value_type { VALUE_NULL, VALUE_INT, VALUE_REAL, VALUE_TEXT };

/* Values of a batch. Null texts are NULL_STRING; of the other types `null` says which are (NULL:
 * none), and those hold 0. */
struct values {
    const void *data; /* int64_t, double or string_id */
    const uint8_t *null;
};

struct expr {
    enum expr_op op;
    enum value_type type;
    uint32_t depth, size; /* of the tree: a part that stands in several places is in each of them */
    uint32_t count;       /* of `args`, EXPR_CONST: of values in `buffer` */
    struct expr **args;
    uint32_t table, column; /* EXPR_COLUMN: index in source.tables, and the column there */
    union {                 /* EXPR_CONST */
        int64_t number;
        double real;
        string_id text;
    };
    uint8_t *memo; /* LIKE, GLOB: by string id 0 unknown, 1 no, 2 yes */
    uint32_t memo_size;
    struct joined_text *joined;        /* CONCAT: what the last ones gave */
    struct sqlite_call *call;          /* CALL: once it is evaluated */
    struct uncorrelated *uncorrelated; /* IN_ROWS, VALUE */
    struct correlated *correlated;     /* CORRELATED */
    void *buffer;                      /* BATCH values */
    uint8_t *null_buffer;
    struct expr *next;  /* in plan.made */
    uint64_t serial;    /* the batch that it was last evaluated for; 0: none */
    struct values last; /* what that gave */
};

/* Two values and the text that they make. */
struct joined_text {
    int64_t a, b;
    string_id text; /* NULL_STRING: none yet */
};

struct expr_list {
    VEC(struct expr *) v;
};

struct column_operator;
struct select;
struct statistic;

struct order_key {
    struct expr *expr;
    bool desc;
};

struct order_list {
    VEC(struct order_key) v;
};

/* What rows come from. Rows of a table other than the first that is read are found by `key`, which
 * is their number. */
struct source_table {
    struct sql_table *stored; /* NULL for a SELECT's result */
    struct select *child;     /* the SELECT whose result it is */
    const struct table *rows; /* what is read, once the child has run */
    struct expr *key;
    bool left;         /* LEFT JOIN: there may be no row */
    struct expr *only; /* of one: a row of it for which this does not hold is none; or NULL */
    /* Rows of a SELECT's result are found by the value of a column, in which no value may be there
     * twice, which is seen once they are there: `numbers` has a row's number for each. */
    bool by_value;
    uint32_t match;
    struct dictionary numbers;
    /* Several rows may belong to one of the tables before it (expansion.h): those with the value
     * `key` in column `match`, or what the function finds from row `key`. */
    bool many;
    const struct row_function *function;
};

struct plan_source {
    struct source_table tables[TABLES_MAX];
    uint32_t count;
    uint8_t order[TABLES_MAX]; /* the tables in the order in which rows are looked up */
    struct expr_list conditions;
    struct expr_list early;      /* conditions on the first table alone that no scan takes */
    struct expr_list late;       /* the others */
    struct order_list row_order; /* empty: rows come as those of the first table that is read lie */
    struct scan_plan plan;
    struct expr_list arguments; /* of the plan's terms */
    struct table_scan *scan;    /* NULL: rows are read as they lie, from `next` on */
    uint32_t next;
    uint32_t *arranged; /* the rows of the first table by `row_order`, from `next` on */
    uint32_t arranged_count;
    uint32_t *rows[TABLES_MAX];  /* BATCH of each table, once it is started */
    struct expansion *expansion; /* of the table that is `many`, once it is started */
};

/* Some rows: table t's are rows[t][0..n), or `first` and those behind it where that is NULL. */
struct batch {
    const uint32_t *rows[TABLES_MAX];
    uint32_t first, n;
    uint64_t serial; /* another one for each that consists of other rows: plan_next_batch() */
    bool only;       /* no other one comes */
};

/* See aggregate_kinds (aggregate.h). */
enum aggregate_number {
    AGGREGATE_COUNT_ROWS,
    AGGREGATE_COUNT,
    AGGREGATE_SUM,
    AGGREGATE_TOTAL,
    AGGREGATE_AVG,
    AGGREGATE_MIN,
    AGGREGATE_MAX,
    AGGREGATE_FIRST, /* of a column that the group's first row gives */
    AGGREGATE_PERCENTILE,
    AGGREGATE_CONCAT,
    AGGREGATE_STATISTIC,
    AGGREGATES
};

struct aggregate {
    enum aggregate_number kind;
    bool distinct;
    struct expr *arg, *filter;
    const struct statistic *statistic; /* STATISTIC: of the argument and */
    struct expr *other;                /* this one, which may be the same */
    double part;                       /* PERCENTILE: 0 to 1 of the values are below, */
    bool between;                      /* and what lies between two of them counts */
    string_id separator;               /* CONCAT */
};

enum window_kind {
    WINDOW_ROW_NUMBER,
    WINDOW_RANK,
    WINDOW_DENSE_RANK,
    WINDOW_NTILE, /* of `offset` parts */
    WINDOW_PERCENT_RANK,
    WINDOW_CUME_DIST,
    WINDOW_LAG,
    WINDOW_LEAD,
    WINDOW_FIRST_VALUE,
    WINDOW_LAST_VALUE,
    WINDOW_AGGREGATE
};

struct window_call {
    enum window_kind kind;
    enum aggregate_number aggregate;
    struct expr *arg, *fallback;
    uint32_t offset;
    /* The last three: of the partition's rows those from so many before to so many behind it,
     * WINDOW_ALL for all; where that is not by rows, from its start to those that are equal in
     * order, or to its end. */
    bool by_rows;
    uint32_t before, after;
};
#define WINDOW_ALL UINT32_MAX

struct output {
    struct expr *expr;
    char *name;
    char affinity; /* SQLite's: 'i', 'r', 't', or 'n' for none */
    uint8_t kinds; /* of values that SQLite counts on; until that is settled, as it is written */
    bool used;
};
enum { KIND_NUMBER = 1, KIND_TEXT = 2, KIND_BLOB = 4, KINDS = 7, KINDS_UNKNOWN = 8 };

/* An uncorrelated subquery in an expression, of one column: run when its rows are first asked for.
 */
struct uncorrelated {
    struct select *select;
    bool ran, has_null;
    struct dictionary members; /* the values that are not NULL */
};

/* A correlated subquery, which reads of the statement around it what columns of its rows are equal
 * to (correlated.c): it groups by those, and has its outputs before them. */
enum { CORRELATED_KEYS = 3 };
struct correlated {
    struct select *select;
    uint32_t keys;
    bool exists;     /* whether there are rows, and not the value of the first output */
    bool aggregates; /* also without rows there is a value: */
    bool ran, none_is_null;
    uint64_t none; /* as in a column */
    struct relation *nothing;
    struct dictionary numbers[CORRELATED_KEYS], pairs[CORRELATED_KEYS];
    /* The values of the keys that are asked for, where they are known before the subquery runs: it
     * then leaves out rows with others. */
    bool restricted;
    struct dictionary asked[CORRELATED_KEYS];
};

enum select_kind {
    SELECT_PLAIN,
    SELECT_GROUP,
    SELECT_WINDOW,
    SELECT_UNION,
    SELECT_OPERATOR,
    SELECT_SPANS
};

/* What a function makes of whole inputs (engine/column_operator.h), which are the SELECT's parts.
 */
struct operator_plan {
    const struct column_operator *operator;
    const char *names;  /* of keys, as they are written */
    uint32_t arguments; /* of each input: */
    uint32_t *outputs;  /* of input i, argument k is output outputs[i * arguments + k] */
    struct sql_table *rows;
};

/* A span join of the SELECT's two parts, whose outputs are ts, dur, the partition if there is one,
 * and others. */
struct spans_plan {
    enum span_join_kind join;
    bool partitioned[SPAN_SIDES], has_dur[SPAN_SIDES];
    const struct span_column *columns; /* of each output */
    bool apart; /* SQLite would leave out rows before it joins: that is the same only where the
                   spans of a side lie apart and have a length */
};

struct select {
    enum select_kind kind;
    struct plan_source from;
    bool ordered; /* rows come in the order that join_order.h describes */
    /* SELECT_GROUP: a row for each different value of the keys. */
    struct expr_list keys;
    VEC(struct aggregate) aggregates;
    bool keys_desc[SCAN_ORDERS];
    const struct dictionary *asked; /* of each key: rows with other values are left out; or NULL */
    bool picks; /* the best value of aggregate `pick` decides which row AGGREGATE_FIRST is of */
    uint32_t pick;
    /* SELECT_WINDOW: all windows have one partition and order. */
    struct expr_list partition;
    struct order_list window_order;
    VEC(struct window_call) windows;
    struct expr_list carried; /* what the outputs read besides */
    /* SELECT_UNION: the rows of one behind those of the other. */
    VEC(struct select *) parts;
    struct operator_plan
        operation;           /* SELECT_OPERATOR; an output is the table's column of that number */
    struct spans_plan spans; /* SELECT_SPANS */
    /* What is read of the rows that come of it, or of the first ones. */
    VEC(struct output) outputs;
    struct expr *having;
    struct order_list order;
    uint64_t limit, offset;    /* UINT64_MAX and 0 where there is none */
    struct plan_source staged; /* reads what groups, windows or a union made */
    struct relation *stage, *result;
};

/* A statement's plan and what it needs while it runs. */
struct plan {
    struct sql_session *session;
    struct arena arena;
    struct select *select;
    VEC(struct select *) all;                /* to be released */
    VEC(struct uncorrelated *) uncorrelated; /* likewise */
    VEC(struct correlated *) correlated;
    VEC(sqlite3_value *) values; /* constants that scans compare with */
    VEC(sqlite3_stmt *) calls;   /* functions of SQLite's */
    uint32_t texts;              /* how many the pool had when the plan was made */
    bool refused;                /* SQLite shall do it */
    bool stopped;                /* interrupted */
    bool refreshed;              /* see names_refresh */
    bool skips;                  /* what nobody reads is not understood: it may be an error */
    uint32_t nodes;              /* of expressions so far: at most NODES_MAX */
    uint32_t queries;            /* at most QUERIES_MAX */
    struct expr *made[MADE];     /* operations, so that the same one is computed once */
    uint64_t batches;            /* how many there have been */
    uint64_t looks;              /* how often it was asked whether to stop */
    struct named_view *views;    /* those that were read (names.c) */
};

static inline uint64_t plan_next_batch(struct plan *p)
{
    return ++p->batches;
}

static inline bool plan_goes_on(struct plan *p)
{
    p->looks++;
    p->stopped = p->stopped || session_stopped(p->session);
    return !p->refused && !p->stopped;
}

/* The condition of a loop over many rows, at row i. */
enum { ROWS_BETWEEN_LOOKS = 1 << 16 };
static inline bool plan_goes_on_at(struct plan *p, uint32_t i)
{
    return (i & (ROWS_BETWEEN_LOOKS - 1)) != 0 || plan_goes_on(p);
}

#endif
