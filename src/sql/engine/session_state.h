/* What a session is made of, for the parts of the SQL layer. The rest of the program sees
 * sql/session.h. */
#ifndef TPTUI_SQL_ENGINE_SESSION_STATE_H
#define TPTUI_SQL_ENGINE_SESSION_STATE_H

#include <sqlite3.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "base/alloc.h"
#include "base/status.h"
#include "core/trace/trace.h"
#include "parsers/proto/descriptors.h"
#include "sql/tables/catalog.h"
#include "sql/engine/database.h"
#include "sql/engine/parts.h"
#include "sql/engine/query_log.h"
#include "sql/engine/row_watch.h"

struct language;
struct memory_vfs;
struct ordered_aggregates;
struct schema_names;
struct shown_table;
struct span_source;
struct sql_bounds;
struct state_ends;
struct vector_memory;
struct sql_family;

struct sql_session {
    sqlite3 *db;
    struct database_rules rules;
    struct memory_vfs *files; /* temporary ones */
    const struct trace *trace;
    atomic_bool cancel; /* whatever runs shall end; see session_poll */
    struct catalog catalog;
    struct shown_table *shown_tables;  /* sql/tables/shown_table.h */
    struct span_source *span_sources;  /* sql/engine/span_source.h */
    struct schema_names *schema_names; /* sql/engine/schema_names.h; NULL before it is needed */
    struct statement_parts parts;
    struct query_log log;
    struct language *language; /* sql/language/language.h: what scripts have defined so far */
    const struct sql_family *const *families; /* ends with NULL */
    void **family_states;                     /* of each family what its `init` has made */
    struct ordered_aggregates *ordered;       /* sql/functions/ordered_aggregate.h */
    struct descriptors descriptors;           /* of the messages that SQL builds and reads */
    int nested;                   /* statements that run inside others; see session_step */
    bool too_deep;                /* the last session_step was refused */
    struct alloc_reserve reserve; /* for statements that run out of memory */
    atomic_bool out_of_memory;    /* the reason for `cancel` */
    bool holds_interrupts;        /* `cancel` stays set when a run has ended with it */
    struct row_watch row_watch;   /* of the statement that runs */
    uint32_t vector_rows;         /* see sql_session_batch_from */
    /* The rows of a SELECT that somebody reads whole while a statement runs, over columns: a
     * reference to a table whose first column is a hidden one. NULL where SQLite has to do it, and
     * after an interruption. */
    struct sql_table *(*read_over_columns)(struct sql_session *s, const char *sql);
    struct vector_memory *vector;  /* sql/batches/memory.h; NULL before it is needed */
    struct state_ends *state_ends; /* sql/engine/state_ends.h; the same */
    int64_t *slice_stacks;         /* sql/engine/slice_stacks.h; the same */
    void (*complain)(void *self, const char *message); /* see sql_session_on_complaint */
    void *complaining;
    const struct sql_bounds *part_bounds; /* see sql_session_bound_parts */
    bool schema_waits;                    /* there is no schema yet: sql/script/prelude.h */
    VEC(const char *) found_tables;       /* meanwhile: see engine/found_tables.h */
    bool result_begun;             /* the sink has got something of the statement that runs */
    void (*on_schema)(void *self); /* see sql_session_on_schema; NULL: nothing */
    void *on_schema_self;
    bool may_write_files;
    const char *curves_folder; /* see sql_session_set_curves; NULL: not given */
    bool closing;              /* statements are gone already */
};

/* For loops that SQLite does not see: whether the statement was interrupted, asked at every 4096th
 * call. `steps` is the loop's own counter. */
static inline bool session_poll(const struct sql_session *s, uint32_t *steps)
{
    return (++*steps & 0xfff) == 0 && atomic_load_explicit(&s->cancel, memory_order_relaxed);
}

/* Whether the statement has been interrupted. Aggregates ask before they work on what they have
 * collected: SQLite has them finish also where it only cleans up. */
static inline bool session_stopped(const struct sql_session *s)
{
    return atomic_load_explicit(&s->cancel, memory_order_relaxed);
}

/* See sql_session_interrupt and sql_session_resume. */
static inline void session_interrupt(struct sql_session *s)
{
    atomic_store(&s->cancel, true);
    sqlite3_interrupt(s->db);
}

static inline void session_resume(struct sql_session *s)
{
    atomic_store(&s->cancel, false);
}

/* What a loop that was interrupted returns. */
static inline struct status interrupted(void)
{
    return status_error(STATUS_CANCELLED, "interrupted");
}

#endif
