/* Errors that show where in a script they are. */
#ifndef TPTUI_SQL_TOKENS_SOURCE_ERROR_H
#define TPTUI_SQL_TOKENS_SOURCE_ERROR_H

#include "base/status.h"
#include "sql/tokens/lexer.h"

/* "NAME:LINE:COLUMN: message", the line with a caret under `at`, and where the text came from. */
struct status source_error(const struct sql_source *source, size_t at, const char *message);

/* The same at a token, with a message of printf's kind (SQLite's: %q, %w). */
struct status token_error(struct token t, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* "expected WHAT, found TOKEN", pointing at the token. */
struct status expected_error(struct token t, const char *what);

#endif
