/* PerfettoSQL macros: name!(tokens, ...) becomes the macro's body with $parameters replaced. */
#ifndef TPTUI_SQL_LANGUAGE_MACRO_H
#define TPTUI_SQL_LANGUAGE_MACRO_H

#include <stdatomic.h>

#include "base/arena.h"
#include "base/map.h"
#include "base/status.h"
#include "sql/tokens/lexer.h"

struct macro {
    char *name;
    struct sql_source source; /* of the body; text owned */
    VEC(char *) parameters;
};

struct macro_table {
    VEC(struct macro) v; /* none is ever removed */
    struct map by_name;  /* numbers in `v`, by a hash of the name, or the next that is free */
};

/* NULL where there is none of that name. */
struct macro *macro_find(const struct macro_table *macros, struct str name);
/* Adds or replaces. `body` is copied. */
void macro_define(struct macro_table *macros, struct str name, const struct str *parameters,
                  size_t parameter_count, const struct token *body, size_t body_count);
void macro_table_release(struct macro_table *macros);

/* Refuses a body whose parentheses do not match. */
struct status macro_check_body(const struct token *tokens, size_t n);

/* Refuses expanded tokens where a macro's body still has a $variable. Bodies may name variables
 * that their users define (of a function, or inside what is stringified): ask only where neither
 * can be. */
struct status macro_check_variables(const struct token *tokens, size_t n);

/* Whether there is any macro call to expand. */
bool macro_is_called(const struct token *tokens, size_t n);

/* Appends the tokens with all macro calls expanded to `out`. What the expansion needs to point back
 * to its origins is allocated from `arena`, which has to outlive the tokens. Ends in an error where
 * the calls nest too deep or make too much, and where `cancel` (may be NULL) is set meanwhile. */
struct status macro_expand(const struct macro_table *macros, struct arena *arena,
                           const atomic_bool *cancel, const struct token *tokens, size_t n,
                           struct token_list *out);

#endif
