#include "sql/export/systrace_export.h"

#include "sql/engine/family.h"
#include "sql/engine/session_state.h"

/* Readers skip lines that begin with #, but look for the first one, and for what the columns are.
 */
static const char head[] = "# tracer: nop\n"
                           "#\n"
                           "#           TASK-PID    TGID    CPU#  ||||   TIMESTAMP  FUNCTION\n"
                           "#              | |       |        |   ||||       |         |\n";

/* Each with the number of events that are kept. */
static const char *const queries[] = {
    [SYSTRACE_ALL] = "SELECT to_ftrace(id) FROM ftrace_event",
    [SYSTRACE_START] =
        "SELECT to_ftrace(id) FROM (SELECT id FROM ftrace_event ORDER BY ts LIMIT %d)",
    [SYSTRACE_END] = ("SELECT to_ftrace(id) FROM (SELECT id, ts FROM ftrace_event ORDER BY ts DESC "
                      "LIMIT %d) ORDER BY ts"),
};

static bool write_line(sqlite3_stmt *row, bool (*write)(void *self, struct str piece), void *self)
{
    const char *line = (const char *)sqlite3_column_text(row, 0);
    if (!line)
        return true; /* an event that has no text */
    struct str text = {line, (size_t)sqlite3_column_bytes(row, 0)};
    return write(self, text) && write(self, STR("\n"));
}

struct status systrace_export(struct sql_session *s, enum systrace_part part,
                              bool (*write)(void *self, struct str piece), void *self)
{
    char *query = sqlite3_mprintf(queries[part], SYSTRACE_EVENTS_MAX);
    sqlite3_stmt *row = NULL;
    int rc = session_prepare(s, query, 0, &row);
    bool wanted = write(self, STR(head));
    while (wanted && rc == SQLITE_OK && sqlite3_step(row) == SQLITE_ROW)
        wanted = write_line(row, write, self);
    int end = sqlite3_finalize(row);
    sqlite3_free(query);
    if (!wanted || end == SQLITE_INTERRUPT)
        return interrupted();
    return rc == SQLITE_OK && end == SQLITE_OK
               ? status_ok_value()
               : status_error(STATUS_SQL, "%s", sqlite3_errmsg(s->db));
}
