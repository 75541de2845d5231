/* A connection that runs PerfettoSQL over a loaded trace. One thread at a time uses a session;
 * several sessions may read one trace.
 *
 * Stopping: SQLite looks at the session's flag between its steps, our loops by session_poll, sorts
 * by poll_sort and row_sort. SQLite's sorter may use 8 MB, as 500 MB were sorted in one go, for up
 * to a minute. instr, replace and regular expressions are ours and look in windows of the text.
 * What is left is one call of SQLite's own on a value of hundreds of megabytes, and freeing what
 * was built: nobody waits for those. A script that was stopped in a transaction that it began is
 * rolled back.
 *
 * Memory: a statement that needs more than the system has fails, and the session goes on: where an
 * allocation of ours fails, the session's reserve is given back (base/alloc.h), the statement is
 * stopped as if it were interrupted, and blocks that may be larger than the reserve are asked for
 * where their lack can be told. Loading ends the program. */
#ifndef TPTUI_SQL_SESSION_H
#define TPTUI_SQL_SESSION_H

#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"
#include "base/str.h"
#include "sql/engine/sink.h"

struct module_part;
struct sql_bounds;
struct sql_session;
struct trace;

/* The trace must be finished and outlive the session. Never NULL, and for sql_session_free in any
 * case; `*error`, the caller's, says why it cannot be used: no memory for it, or a bug in the
 * prelude. */
struct sql_session *sql_session_new(const struct trace *t, struct status *error);
void sql_session_free(struct sql_session *s);
/* One that makes its schema when a statement is run that needs it, for who does nothing with it but
 * run statements. */
struct sql_session *sql_session_new_waiting(const struct trace *t, struct status *error);
/* What is called when the schema is made, or now where it is there: for what only statements that
 * need it can see. */
void sql_session_on_schema(struct sql_session *s, void (*call)(void *self), void *self);

/* Makes the .sql files below a folder includable: its file a/b.sql is the module PACKAGE.a.b. With
 * an empty `package` the names start at the folder, and its modules take the place of the built-in
 * ones (all but the prelude). */
struct status sql_session_add_package(struct sql_session *s, const char *folder,
                                      const char *package);

/* Makes a text includable under that name, or in place of the module of that name; both are copied.
 * False where the name is one of the prelude's, which cannot be replaced. */
bool sql_session_add_module(struct sql_session *s, const char *name, struct str text);
/* Adds what is run before the module's own text, each apart (sql/language/module.h); copied. What
 * is wrong with it goes to `complain` and keeps nothing else from being run. */
void sql_session_add_part(struct sql_session *s, const char *module,
                          const struct module_part *part);
/* What each part may take; NULL, as it is by itself, for whatever it takes. */
void sql_session_bound_parts(struct sql_session *s, const struct sql_bounds *bounds);
/* Who is told; nobody by itself. */
void sql_session_on_complaint(struct sql_session *s,
                              void (*complain)(void *self, const char *message), void *self);
/* Whether there is a module whose name begins with `package` and a dot, or is that. */
bool sql_session_has_package(const struct sql_session *s, const char *package);

/* Lets queries write files, and open databases with ATTACH. */
void sql_session_allow_files(struct sql_session *s);

/* Where the power curves of devices are that the modules `wattson` compute with, as files
 * DEVICE/NAME.csv; the folder's name must outlive the session. By itself it is
 * ~/.config/tptui/wattson. */
void sql_session_set_curves(struct sql_session *s, const char *folder);

/* How much memory SQLite's temporary files take before they go to the disk: rows that are sorted,
 * grouped or kept for later. By itself it is a quarter of the machine's (or container's), at most
 * 4 GiB. */
void sql_session_limit_sort_memory(struct sql_session *s, uint64_t bytes);

/* SELECTs that sql/vector understands are worked on in batches where the largest of their tables
 * has as many rows; UINT32_MAX: none are. By itself it is VECTOR_ROWS. */
enum { VECTOR_ROWS = 4096 };
void sql_session_batch_from(struct sql_session *s, uint32_t rows);

/* Runs every statement of the script in order, stops at the first error. `source` names the text in
 * messages ("query.sql", "<arg>"). `sink` may be NULL. */
struct status sql_session_run(struct sql_session *s, const char *source, struct str script,
                              const struct sql_sink *sink);

/* The same for the statements in bytes [from, to) of the script. */
struct status sql_session_run_part(struct sql_session *s, const char *source, struct str script,
                                   size_t from, size_t to, const struct sql_sink *sink);

/* Where the first statement at or behind byte `*at` begins; `*at` becomes where the next one may
 * begin. script.n where none is left but blanks and comments. */
size_t sql_script_next(struct str script, size_t *at);

/* Makes sql_session_run return STATUS_CANCELLED soon, or at once the next time where none runs.
 * From any thread. */
void sql_session_interrupt(struct sql_session *s);
/* Takes an interruption back that no run has ended with. */
void sql_session_resume(struct sql_session *s);
/* From now on an interruption ends all runs until sql_session_resume: for work of several runs. */
void sql_session_hold_interrupts(struct sql_session *s);

/* For cheap repeated questions: the first column of the first row of a query, as an integer.
 * Fails where there is none; `*out` is as before then. */
struct status sql_session_int(struct sql_session *s, const char *query, int64_t *out);

#endif
