/* What the statements CREATE PERFETTO ... have in common. */
#ifndef TPTUI_SQL_SCRIPT_CREATION_H
#define TPTUI_SQL_SCRIPT_CREATION_H

#include "base/status.h"
#include "sql/grammar/parse.h"
#include "sql/tokens/sql_type.h"

struct sql_session;

/* A statement being carried out. */
struct creation {
    struct sql_session *session;
    const struct token_list *tokens;
    const struct sql_node *node; /* of its head: what is behind AS are TOKENS */
    bool replace;                /* CREATE OR REPLACE */
};

/* The first token of the node's child. */
struct token creation_token(const struct creation *p, uint32_t child);

#define CREATION_TYPES                                                                             \
    "a type (LONG, DOUBLE, STRING, BOOL, BYTES, TIMESTAMP, DURATION, ID, JOINID(table.column), "   \
    "ARGSETID)"

/* Reads a type, and "(name TYPE, ...)"; NULL: no list. */
struct status creation_type(const struct creation *p, const struct sql_node *type,
                            enum declared_type *out);
struct status creation_columns(const struct creation *p, const struct sql_node *list,
                               struct declared_columns *out);

/* The SELECT behind AS, macros expanded: see script_expand(). */
struct status creation_body(const struct creation *p, const struct sql_node *body,
                            struct sql_parsed *out);

/* Makes the name free for a new one: an error where there is one that must not be replaced. `kind`
 * is "TABLE" or "VIEW", for the message. */
struct status creation_make_room(struct creation *p, struct token name, const char *kind);

/* Each carries its statement out. */
struct status create_table(struct creation *p);
struct status create_view(struct creation *p);
struct status create_function(struct creation *p);
struct status create_macro(struct creation *p);
struct status create_index(struct creation *p);
/* Indexes are made whenever they pay; dropping one forgets its name. */
struct status drop_index(struct creation *p);

#endif
