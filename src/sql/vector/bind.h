/* Reading a SELECT's tokens into a plan: names become columns of stored tables, views and
 * subqueries that only name, compute or filter are looked through. Whatever is not understood to
 * the last token refuses the whole statement (NULL, false). */
#ifndef TPTUI_SQL_VECTOR_BIND_H
#define TPTUI_SQL_VECTOR_BIND_H

#include "sql/tokens/token_cursor.h"
#include "sql/vector/plan.h"
#include "sql/vector/vector.h"

/* A text's tokens without blanks; `at` is where each stands among all of them. */
struct words {
    const struct token *items;
    const uint32_t *at;
    const struct token *all;
    uint32_t count;
};

/* The words [at, end) are still to be read. */
struct reader {
    const struct words *words;
    uint32_t at, end;
};

struct scope_column {
    struct str name;
    struct expr *expr; /* NULL where it is not understood */
    bool hidden;
};

struct scope_source {
    struct str alias;
    struct scope_column *columns;
    uint32_t count;
};

/* What names mean in one SELECT. */
struct scope {
    struct scope_source sources[TABLES_MAX];
    uint32_t count;
    struct {
        struct str name;
        uint32_t source;  /* whose column of that name is the same as one of a source before */
    } shared[TABLES_MAX]; /* by JOIN ... USING (name) */
    uint32_t shared_count;
    const struct select *named; /* whose outputs may be named, once they are known */
};

/* A SELECT of a WITH. */
struct cte {
    struct str name;
    struct reader body;
    const struct cte *outer; /* those that it sees */
    const struct cte *last;  /* of its WITH */
};

/* While a SELECT of a WITH is read: those from `first` on, itself and those behind it. */
struct hidden_ctes {
    const struct cte *first;
    const struct hidden_ctes *outer;
};

/* What a SELECT's rows are for. */
enum select_use {
    USE_ROWS,
    USE_UNION, /* with those of others */
    USE_LIST,  /* of an IN: whether a value is among them */
    USE_VALUE  /* the first one */
};

struct binder {
    struct plan *plan;
    const struct vector_environment *environment;
    const struct cte *ctes;
    const struct hidden_ctes *hidden; /* they hide tables of their names, and may not be read */
    struct scope *scope;
    struct select *select;
    bool aggregates, windows; /* may be called here */
    bool may_skip;            /* outputs that are not understood, which nobody may read */
    enum select_use use;
    uint32_t depth;
};

/* Where a SELECT's clauses are: each from its keyword's end to the next one's. */
enum clause {
    CLAUSE_SELECT,
    CLAUSE_FROM,
    CLAUSE_WHERE,
    CLAUSE_GROUP,
    CLAUSE_HAVING,
    CLAUSE_ORDER,
    CLAUSE_LIMIT,
    CLAUSES
};

struct clauses {
    struct reader at[CLAUSES];
    bool has[CLAUSES];
};

struct words *bind_words(struct plan *p, const struct token *tokens, size_t n);

/* An expression, up to what cannot be part of it. */
struct expr *bind_expression(struct binder *b, struct reader *r);
/* The same, where neither aggregates nor windows may be called. */
struct expr *bind_plain(struct binder *b, struct reader *r);
/* What a name without table means; NULL where that is not one thing. */
struct expr *bind_name(struct binder *b, struct str name);
/* A call of a window function: the reader stands behind OVER. */
struct expr *bind_window(struct binder *b, struct reader *r, struct window_call call);

bool expr_same(const struct expr *a, const struct expr *b);
bool expr_has(const struct expr *e, enum expr_op op);

/* A SELECT with all its clauses, as one that stands alone; NULL where it is not understood. */
struct select *bind_select(struct binder *outer, struct reader r, enum select_use use);

/* False where the SELECT has parts that stand in another order, or that are unknown here. */
bool clauses_split(struct reader r, struct clauses *out);
/* Whether the SELECT only names, computes and filters. */
bool clauses_are_simple(const struct clauses *c);
/* Whether one of its outputs may be an aggregate. */
bool clauses_aggregate(const struct clauses *c);
/* Of the values of a stored table's column. */
enum value_type bind_column_type(const struct sql_table *t, uint32_t column);
/* The tables of a FROM and their conditions become those of the binder's SELECT. */
bool bind_from(struct binder *b, struct reader r);
bool bind_condition(struct binder *b, struct reader r);
/* What is ANDed becomes conditions of their own. */
void select_add_condition(struct select *s, struct expr *e);
/* ORDER BY and LIMIT. */
bool bind_ending(struct binder *b, const struct clauses *c);
/* SELECTs put together by UNION ALL. */
bool bind_is_union(struct reader r);
bool bind_union(struct binder *b, struct reader r);
bool bind_outputs(struct binder *b, struct reader r, struct select *s);
/* Passes the rest of an output that only computes a value, and is called `name`. */
bool bind_unknown_output(struct reader *r, struct str *name);
/* Terms may be outputs of `named`, by number or name; NULL: of none. */
bool bind_order_terms(struct binder *b, struct reader *r, struct order_list *out,
                      const struct select *named);
/* The expression among those that a window hands on with each row. */
struct expr *select_carry(struct select *s, struct expr *e);
/* Decides how a SELECT that was read whole is run, once nothing more is added: its expressions then
 * name what its stages hand on. False where it stays with SQLite. */
bool settle_select(struct binder *b, struct select *s, bool outermost);
bool settle_union(struct binder *b, struct select *s, bool outermost);

/* What a table's name means: a stored table, or the SELECT of a view. */
struct named_relation {
    const struct shown_table *table;
    struct words *view; /* from its SELECT on */
};
bool names_find(struct plan *p, struct str name, struct named_relation *out);
/* Before what the session keeps of names is asked: has it forget what is of another schema. */
void names_refresh(struct plan *p);

/* Reading words. */
struct token reader_peek(const struct reader *r);
struct token reader_take(struct reader *r);
bool reader_accept(struct reader *r, const char *keyword);
bool reader_accept_char(struct reader *r, char c);
/* Behind an opening parenthesis: what stands before the closing one, which is taken too. */
bool reader_take_group(struct reader *r, struct reader *inner);
/* Whether the word is a name that needs no quotes, or in quotes. */
bool is_alias(struct token t);
bool same_name(struct str a, struct str b);

#endif
