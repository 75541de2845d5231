/* Reading a SELECT's tree into a plan: names become columns of stored tables, views and
 * subqueries that only name, compute or filter are looked through. Whatever is not understood to
 * the last node refuses the whole statement (NULL, false). */
#ifndef TPTUI_SQL_VECTOR_BIND_H
#define TPTUI_SQL_VECTOR_BIND_H

#include "sql/grammar/tree.h"
#include "sql/batches/plan.h"
#include "sql/vector/vector.h"

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
    const struct sql_node *select;
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
    USE_VALUE, /* the first one */
    USE_INPUT  /* of an operator, which reads them in their order */
};

/* Names of outputs. */
struct name_list {
    VEC(struct str) v;
};

struct binder {
    struct plan *plan;
    const struct token *tokens; /* that the nodes are made of: the statement's, or a view's */
    const struct vector_environment *environment;
    const struct cte *ctes;
    const struct bound_call *called;  /* the function whose body is read, or NULL */
    const struct hidden_ctes *hidden; /* they hide tables of their names, and may not be read */
    struct scope *scope;
    struct select *select;
    bool aggregates, windows; /* may be called here */
    bool may_skip;            /* outputs that are not understood, which nobody may read */
    enum select_use use;
    const struct sql_node *where;   /* of the FROM that is read */
    const struct name_list *wanted; /* of what a * stands for nothing else is; NULL: all */
    uint32_t depth;
};

/* The parts of a SELECT that is none of several; each may be NULL. */
struct query {
    const struct sql_node *with, *core, *order, *limit;
};

/* The first of a node's tokens. */
static inline struct token bind_token(const struct binder *b, const struct sql_node *n)
{
    return b->tokens[n->span.first];
}

struct expr *bind_expression(struct binder *b, const struct sql_node *n);
/* The same, where neither aggregates nor windows may be called. */
struct expr *bind_plain(struct binder *b, const struct sql_node *n);
/* What a name without table means; NULL where that is not one thing. */
struct expr *bind_name(struct binder *b, struct str name);
/* A call of a window function over `over`, what stands behind OVER. */
struct expr *bind_window(struct binder *b, const struct sql_node *over, struct window_call call);

/* A SELECT with all its clauses, or one of a UNION's, as one that stands alone; NULL where it is
 * not understood. */
struct select *bind_select(struct binder *outer, const struct sql_node *n, enum select_use use);

/* The first `count` tables of a WITH become those that the binder's SELECT may read; false where
 * one of them is not understood. */
bool bind_with(struct binder *b, const struct sql_node *with, uint32_t count);

/* Whether the SELECTs are put together to one. */
bool bind_is_union(const struct sql_node *select);
/* False where it is no SELECT by itself, or has a part that is unknown here. */
bool bind_query_of(const struct sql_node *select, struct query *out);
/* Whether the SELECT only names, computes and filters, but perhaps for aggregates. */
bool query_is_simple(const struct query *q);
/* Whether one of its outputs may be an aggregate. */
bool query_aggregates(const struct binder *b, const struct query *q);
/* Of the values of a stored table's column. */
enum value_type bind_column_type(const struct sql_table *t, uint32_t column);
/* The tables of a FROM and their conditions become those of the binder's SELECT. */
bool bind_from(struct binder *b, const struct sql_node *from);
/* What an operator makes of whole inputs, as __intrinsic_table_ptr shows it. */
bool bind_is_operators(const struct sql_session *s, struct str name); /* a call */
bool bind_is_table_of_operator(struct str name);
bool bind_operator(struct binder *b, const struct sql_node *n, struct scope_source *out);
/* A span join's rows, of which `out` names the columns; what a statement asks of them is known once
 * its SELECT is settled, but not where that is part of a statement. */
bool bind_spans(struct binder *b, const struct span_source *spans, struct scope_source *out);
void settle_spans(struct select *s, bool is_part);
bool bind_condition(struct binder *b, const struct sql_node *n);
/* What is ANDed becomes conditions of their own. */
void select_add_condition(struct select *s, struct expr *e);
/* ORDER BY and LIMIT, which may be NULL. */
bool bind_ending(struct binder *b, const struct sql_node *order, const struct sql_node *limit);
/* SELECTs put together by UNION ALL. */
bool bind_union(struct binder *b, const struct sql_node *select);
bool bind_outputs(struct binder *b, const struct sql_node *results, struct select *s);
/* Whether an output that is not understood only computes a value, and has a name. */
bool bind_unknown_output(const struct binder *b, const struct sql_node *result);
/* Terms may be outputs of `named`, by number or name; NULL: of none. */
bool bind_order_terms(struct binder *b, const struct sql_node *terms, struct order_list *out,
                      const struct select *named);
/* The expression among those that a window hands on with each row. */
struct expr *select_carry(struct select *s, struct expr *e);
/* Decides how a SELECT that was read whole is run, once nothing more is added: its expressions then
 * name what its stages hand on. False where it stays with SQLite. */
bool settle_select(struct binder *b, struct select *s, bool outermost);
bool settle_union(struct binder *b, struct select *s, bool outermost);

/* A view's SELECT. */
struct view_select {
    const struct token *tokens; /* that the node is made of */
    const struct sql_node *select;
    bool too_deep; /* for SQLite's parser */
};

/* What a table's name means: a stored table, a view, or a span join. */
struct named_relation {
    const struct shown_table *table;
    const struct view_select *view;
    const struct span_source *spans;
};
bool names_find(struct plan *p, struct str name, struct named_relation *out);
/* Before what the session keeps of names is asked: has it forget what is of another schema. */
void names_refresh(struct plan *p);

/* Whether the word is a name that needs no quotes, or in quotes. */
bool is_alias(struct token t);
bool same_name(struct str a, struct str b);

#endif
