/* SQL as a tree: what the grammar (grammar.y) makes of the tokens of a statement.
 *
 * A node is of a kind and has that kind's children, by the kind's own numbers; an optional one that
 * is not there is NULL. What a kind is written as stands in one table, SQL_NODE_KINDS. */
#ifndef TPTUI_SQL_GRAMMAR_TREE_H
#define TPTUI_SQL_GRAMMAR_TREE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "sql/tokens/lexer.h"

/* X(kind, how it is written). In the latter a word is itself, and
 *   %0 to %9  a child           %,  all children, commas between
 *   %o %p     its words         %_  all children, nothing between
 *   %t        its own tokens    [ ] only if the first % in it is there
 * Each word, and each %, stands between blanks. */
#define SQL_NODE_KINDS(X)                                                                          \
    X(NAME, "%t")                                                                                  \
    X(LITERAL, "%t")                                                                               \
    X(VARIABLE, "%t")                                                                              \
    X(HOLE, "")     /* an operand or a name that is missing */                                     \
    X(TOKENS, "%t") /* what has no rule here: a type, a macro's body, arguments of a module */     \
    X(LIST, "%,")                                                                                  \
    X(STAR, "[%0 . ] * [EXCEPT ( %1 )] [REPLACE ( %2 )]")                                          \
    X(COLUMN, "[%0 . ] [%1 . ] %2")                                                                \
    X(MACRO, "%0 ! ( %1 )")                                                                        \
    X(UNARY, "%o %0")                                                                              \
    X(POSTFIX, "%0 %o")                                                                            \
    X(BINARY, "%0 %o %1")                                                                          \
    X(LIKE, "%0 %o %1 [ESCAPE %2]")                                                                \
    X(BETWEEN, "%0 %o %1 AND %2")                                                                  \
    X(IN, "%0 %o %1")                                                                              \
    X(CASE, "CASE [%0] %1 [ELSE %2] END")                                                          \
    X(WHENS, "%_")                                                                                 \
    X(WHEN, "WHEN %0 THEN %1")                                                                     \
    X(CAST, "CAST ( %0 AS %1 )")                                                                   \
    X(CALL, "%0 ( [%o] %1 [ORDER BY %2] ) [%3] [OVER %4]")                                         \
    X(FILTER, "FILTER ( WHERE %0 )")                                                               \
    X(EXISTS, "EXISTS ( %0 )")                                                                     \
    X(SUBQUERY, "( %0 )")                                                                          \
    X(PARENTHESES, "( %0 )")                                                                       \
    X(WINDOW, "( [%0] [PARTITION BY %1] [ORDER BY %2] [%3] )")                                     \
    X(FRAME, "%o %0 [%p]")                                                                         \
    X(BETWEEN_BOUNDS, "BETWEEN %0 AND %1")                                                         \
    X(BOUND, "[%0] %o")                                                                            \
    X(SELECT, "[%0] %1 [ORDER BY %2] [%3]")                                                        \
    X(WITH, "WITH [%o] %0")                                                                        \
    X(WITH_TABLE, "%0 [( %1 )] AS [%o] ( %2 )")                                                    \
    X(COMPOUND, "%_")                                                                              \
    X(ARM, "[%o] %0")                                                                              \
    X(CORE, "SELECT [%o] %0 [FROM %1] [WHERE %2] [GROUP BY %3] [HAVING %4] [WINDOW %5]")           \
    X(VALUES, "VALUES %0")                                                                         \
    X(RESULT, "%0 [AS %1]")                                                                        \
    X(FROM, "%_")                                                                                  \
    X(JOIN, "[%p] [%o] %0 [ON %1] [USING ( %2 )]")                                                 \
    X(TABLE, "[%0 . ] %1 [( %2 )] [AS %3] [%4]")                                                   \
    X(TABLE_SELECT, "( %0 ) [AS %1]")                                                              \
    X(TABLE_JOIN, "( %0 ) [AS %1]")                                                                \
    X(TABLE_MACRO, "%0 [AS %1]")                                                                   \
    X(INDEXED, "%o [%0]")                                                                          \
    X(ORDER_TERM, "%0 [%o] [%p]")                                                                  \
    X(LIMIT, "LIMIT %0 [OFFSET %1]")                                                               \
    X(WINDOW_NAME, "%0 AS %1")                                                                     \
    X(PIPELINE, "%0 %1")                                                                           \
    X(PIPE_FROM, "FROM %0")                                                                        \
    X(INTERSECTION, "INTERVAL INTERSECTION OF ( %0 ) [PER %1]")                                    \
    X(STAGES, "%_")                                                                                \
    X(STAGE, "|> %o [%p] [PER %1] [AGGREGATE %2] [%0] [GROUP BY %3]")                              \
    X(ASSIGN, "%0 = %1")                                                                           \
    X(EXPLAIN, "%o %0")                                                                            \
    X(CREATE_TABLE, "CREATE [%o] PERFETTO TABLE %0 [( %1 )] [USING %2] AS %3")                     \
    X(CREATE_VIEW, "CREATE [%o] PERFETTO VIEW %0 [( %1 )] AS %2")                                  \
    X(CREATE_FUNCTION,                                                                             \
      "CREATE [%o] PERFETTO FUNCTION %0 ( %1 ) RETURNS %2 [AS %3] [DELEGATES TO %4]")              \
    X(RETURNS_TABLE, "TABLE ( %0 )")                                                               \
    X(CREATE_MACRO, "CREATE [%o] PERFETTO MACRO %0 ( %1 ) RETURNS %2 AS %3")                       \
    X(CREATE_INDEX, "CREATE [%o] PERFETTO INDEX %0 ON %1 ( %2 )")                                  \
    X(DROP_INDEX, "DROP PERFETTO INDEX %0 ON %1")                                                  \
    X(DECLARED, "%0 %1")                                                                           \
    X(INCLUDE, "INCLUDE PERFETTO MODULE %0")                                                       \
    X(PRAGMA, "PERFETTO PRAGMA %0 = %1")                                                           \
    X(PLAIN_CREATE, "CREATE [%p] %o [%0] %1 [( %2 )] AS %3") /* SQLite's TABLE and VIEW */         \
    X(PLAIN_TABLE, "CREATE [%p] TABLE [%0] %1 ( %2 ) [%3]")                                        \
    X(VIRTUAL_TABLE, "CREATE VIRTUAL TABLE [%0] %1 USING %2 [( %3 )]")                             \
    X(DROP, "DROP %o [%p] %0")                                                                     \
    X(INSERT, "[%0] %o INTO %1 [( %2 )] %3")                                                       \
    X(DELETE, "[%0] DELETE FROM %1 [WHERE %2]")                                                    \
    X(UPDATE, "[%0] UPDATE %1 SET %2 [FROM %3] [WHERE %4]")                                        \
    X(OTHER, "%t") /* a statement that is SQLite's alone: PRAGMA, ATTACH, BEGIN ... */

enum sql_node_kind {
#define SQL_KIND(name, written) SQL_##name,
    SQL_NODE_KINDS(SQL_KIND)
#undef SQL_KIND
        SQL_NODE_KIND_COUNT
};

/* Words that tell nodes of a kind apart: operators, kinds of joins, directions ... */
#define SQL_OPS(X)                                                                                 \
    X(NONE, ""), X(OR, "OR"), X(AND, "AND"), X(NOT, "NOT"), X(IS, "IS"), X(IS_NOT, "IS NOT"),      \
        X(DISTINCT_FROM, "IS DISTINCT FROM"), X(NOT_DISTINCT_FROM, "IS NOT DISTINCT FROM"),        \
        X(EQ, "="), X(NE, "!="), X(LT, "<"), X(LE, "<="), X(GT, ">"), X(GE, ">="),                 \
        X(LIKE, "LIKE"), X(GLOB, "GLOB"), X(REGEXP, "REGEXP"), X(MATCH, "MATCH"),                  \
        X(NOT_LIKE, "NOT LIKE"), X(NOT_GLOB, "NOT GLOB"), X(NOT_REGEXP, "NOT REGEXP"),             \
        X(NOT_MATCH, "NOT MATCH"), X(IN, "IN"), X(NOT_IN, "NOT IN"), X(BETWEEN, "BETWEEN"),        \
        X(NOT_BETWEEN, "NOT BETWEEN"), X(ISNULL, "ISNULL"), X(NOTNULL, "NOTNULL"),                 \
        X(COLLATE, "COLLATE"), X(BIT_AND, "&"), X(BIT_OR, "|"), X(LEFT_SHIFT, "<<"),               \
        X(RIGHT_SHIFT, ">>"), X(BIT_NOT, "~"), X(ADD, "+"), X(SUBTRACT, "-"), X(MULTIPLY, "*"),    \
        X(DIVIDE, "/"), X(REMAINDER, "%"), X(CONCAT, "||"), X(JSON_AT, "->"),                      \
        X(JSON_VALUE_AT, "->>"), X(DISTINCT, "DISTINCT"), X(ALL, "ALL"),                           \
        X(RECURSIVE, "RECURSIVE"), X(MATERIALIZED, "MATERIALIZED"),                                \
        X(NOT_MATERIALIZED, "NOT MATERIALIZED"), X(UNION, "UNION"), X(UNION_ALL, "UNION ALL"),     \
        X(EXCEPT, "EXCEPT"), X(INTERSECT, "INTERSECT"), X(COMMA, ","), X(JOIN, "JOIN"),            \
        X(LEFT_JOIN, "LEFT JOIN"), X(RIGHT_JOIN, "RIGHT JOIN"), X(FULL_JOIN, "FULL JOIN"),         \
        X(INNER_JOIN, "INNER JOIN"), X(CROSS_JOIN, "CROSS JOIN"), X(NATURAL, "NATURAL"),           \
        X(INDEXED_BY, "INDEXED BY"), X(NOT_INDEXED, "NOT INDEXED"), X(ASC, "ASC"),                 \
        X(DESC, "DESC"), X(NULLS_FIRST, "NULLS FIRST"), X(NULLS_LAST, "NULLS LAST"),               \
        X(RANGE, "RANGE"), X(ROWS, "ROWS"), X(GROUPS, "GROUPS"),                                   \
        X(UNBOUNDED_PRECEDING, "UNBOUNDED PRECEDING"), X(PRECEDING, "PRECEDING"),                  \
        X(CURRENT_ROW, "CURRENT ROW"), X(FOLLOWING, "FOLLOWING"),                                  \
        X(UNBOUNDED_FOLLOWING, "UNBOUNDED FOLLOWING"), X(EXCLUDE_NO_OTHERS, "EXCLUDE NO OTHERS"),  \
        X(EXCLUDE_CURRENT_ROW, "EXCLUDE CURRENT ROW"), X(EXCLUDE_GROUP, "EXCLUDE GROUP"),          \
        X(EXCLUDE_TIES, "EXCLUDE TIES"), X(SELECT, "SELECT"), X(EXTEND, "EXTEND"),                 \
        X(DROP, "DROP"), X(RENAME, "RENAME"), X(SET, "SET"), X(AS, "AS"), X(WHERE, "WHERE"),       \
        X(ORDER_BY, "ORDER BY"), X(AGGREGATE, "AGGREGATE"), X(TREE_ACCUMULATE, "TREE ACCUMULATE"), \
        X(UP, "UP"), X(DOWN, "DOWN"), X(INTERVAL_FLATTEN, "INTERVAL FLATTEN"),                     \
        X(EXPLAIN, "EXPLAIN"), X(QUERY_PLAN, "EXPLAIN QUERY PLAN"), X(OR_REPLACE, "OR REPLACE"),   \
        X(TEMP, "TEMP"), X(TABLE, "TABLE"), X(VIEW, "VIEW"), X(INDEX, "INDEX"),                    \
        X(TRIGGER, "TRIGGER"), X(IF_EXISTS, "IF EXISTS"), X(INSERT, "INSERT"),                     \
        X(INSERT_OR_REPLACE, "INSERT OR REPLACE"), X(INSERT_OR_IGNORE, "INSERT OR IGNORE"),        \
        X(REPLACE, "REPLACE")

enum sql_op {
#define SQL_OP(name, words) SQL_OP_##name
    SQL_OPS(SQL_OP)
#undef SQL_OP
};

/* Children by kind. Kinds that have one or two children, in the order of what is written, have no
 * names for them. */
enum { STAR_TABLE, STAR_EXCEPT, STAR_REPLACE };
enum { COLUMN_SCHEMA, COLUMN_TABLE, COLUMN_NAME };
enum { MACRO_NAME, MACRO_ARGUMENTS };
enum { CASE_BASE, CASE_WHENS, CASE_ELSE };
enum { CALL_NAME, CALL_ARGUMENTS, CALL_ORDER, CALL_FILTER, CALL_OVER };
enum { WINDOW_BASE, WINDOW_PARTITION, WINDOW_ORDER, WINDOW_FRAME };
enum { SELECT_WITH, SELECT_BODY, SELECT_ORDER, SELECT_LIMIT };
enum { WITH_TABLE_NAME, WITH_TABLE_COLUMNS, WITH_TABLE_SELECT };
enum { CORE_RESULTS, CORE_FROM, CORE_WHERE, CORE_GROUP, CORE_HAVING, CORE_WINDOWS };
enum { RESULT_VALUE, RESULT_NAME };
enum { JOIN_SOURCE, JOIN_ON, JOIN_USING };
enum { TABLE_SCHEMA, TABLE_NAME, TABLE_ARGUMENTS, TABLE_ALIAS, TABLE_INDEXED };
enum { STAGE_ITEMS, STAGE_PER, STAGE_AGGREGATES, STAGE_KEYS };
enum { CREATE_NAME, CREATE_COLUMNS };
enum { CREATE_TABLE_USING = 2, CREATE_TABLE_SELECT };
enum { CREATE_VIEW_SELECT = 2 };
enum { CREATE_FUNCTION_RETURNS = 2, CREATE_FUNCTION_BODY, CREATE_FUNCTION_TARGET };
enum { CREATE_MACRO_RETURNS = 2, CREATE_MACRO_BODY };
enum { INDEX_NAME, INDEX_TABLE, INDEX_COLUMNS };
enum { PLAIN_IF_NOT_EXISTS, PLAIN_NAME, PLAIN_COLUMNS, PLAIN_SELECT };
enum { INSERT_WITH, INSERT_TABLE, INSERT_COLUMNS, INSERT_ROWS };

/* Tokens [first, end) of the list that was parsed. */
struct sql_span {
    uint32_t first, end;
};

struct sql_node {
    uint8_t kind;    /* enum sql_node_kind */
    uint8_t op, op2; /* enum sql_op */
    uint16_t depth;  /* of the tree below it: at most SQL_TREE_DEPTH */
    struct sql_span
        span; /* from its first token to behind its last; of a HOLE, before which it is */
    uint32_t count;
    struct sql_node **part; /* `count` of them; NULL where one is not there */
};

/* SQLite's own limit of an expression. What nests deeper has no tree. */
enum { SQL_TREE_DEPTH = 1000 };

static inline bool sql_is(const struct sql_node *n, enum sql_node_kind kind)
{
    return n && n->kind == kind;
}

/* Calls `visit` for the node (NULL: for none) and what is below it, in the order of the children;
 * what is below a node for which it returns false is left out. */
void sql_visit(const struct sql_node *n, bool (*visit)(void *self, const struct sql_node *n),
               void *self);

const char *sql_op_words(enum sql_op op);

/* Whether both say the same: kinds, words, and the text of names and values. */
bool sql_tree_equal(const struct sql_node *a, const struct token_list *a_tokens,
                    const struct sql_node *b, const struct token_list *b_tokens);

#endif
