/* What SQLite takes of memory while it compiles a statement. It copies a SELECT of a WITH, and a
 * view, for each place that names it: each of a chain that names the one before twice doubles what
 * there is. It asks nobody meanwhile whether to go on, but for memory. */
#ifndef TPTUI_SQL_ENGINE_COMPILE_MEMORY_H
#define TPTUI_SQL_ENGINE_COMPILE_MEMORY_H

#include <sqlite3.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

enum { COMPILE_MEMORY_MAX = 256 << 20 };

struct compile_memory {
    const atomic_bool *cancel; /* ends it, too */
    size_t left;
    bool exceeded, cancelled; /* why SQLite was left without memory */
};

/* Once, before anything else is asked of SQLite. */
void compile_memory_configure(void);

/* Between the two this thread has no more than that for SQLite, and none once it is cancelled. A
 * begin within another has what is left of that one's. */
void compile_memory_begin(struct compile_memory *c, const atomic_bool *cancel);
void compile_memory_end(struct compile_memory *c);

/* sqlite3_step, while which SQLite may compile: the statement anew, as definitions have changed, or
 * what a pragma asks of a view. From the `enter` that tells of it on the bound holds, until `leave`
 * tells that the statement goes on, or the step has ended. */
int compile_memory_step(sqlite3_stmt *stmt);
void compile_memory_enter(const atomic_bool *cancel);
void compile_memory_leave(void);

#endif
