/* Running a script: statement by statement, PerfettoSQL's own ones here, the rest by SQLite. */
#ifndef TPTUI_SQL_SCRIPT_SCRIPT_H
#define TPTUI_SQL_SCRIPT_SCRIPT_H

#include "base/status.h"
#include "sql/engine/sink.h"
#include "sql/grammar/parse.h"

struct sql_session;
struct written_names;

/* Runs a text's statements; the texts it comes from are known through `source`. `sink` may be NULL.
 */
struct status script_run(struct sql_session *s, const struct sql_source *source,
                         const struct sql_sink *sink);
/* The same for the statements in bytes [from, to) of the text. */
struct status script_run_part(struct sql_session *s, const struct sql_source *source, size_t from,
                              size_t to, const struct sql_sink *sink);
/* Runs one statement, whose tokens may be of several texts, for its effect; within a run. */
struct status script_run_statement(struct sql_session *s, const struct token_list *tokens);

/* Makes tokens that SQLite understands: macros expanded, newer syntax and pipelines rewritten,
 * and runs what deferred modules define for them. `out` is for sql_parsed_release(), also after an
 * error; it lives as long as the running script. `names` may be NULL. */
struct status script_expand(struct sql_session *s, const struct token *tokens, size_t n,
                            struct sql_parsed *out, struct written_names *names);

/* Has SQLite run the statement that the tokens spell for its effect. */
struct status script_run_sqlite(struct sql_session *s, const struct token_list *tokens);

#endif
