/* Where a script's result sets go, row by row. */
#ifndef TPTUI_SQL_ENGINE_SINK_H
#define TPTUI_SQL_ENGINE_SINK_H

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"

enum sql_type { SQL_NULL, SQL_INT, SQL_REAL, SQL_TEXT, SQL_BLOB };

struct sql_value {
    enum sql_type type;
    union {
        int64_t i;
        double d;
        struct str s; /* TEXT, BLOB: valid during the callback only */
    };
};

/* Each callback returns false to stop the run (STATUS_CANCELLED). */
struct sql_sink {
    /* A statement that yields columns; also called where no row follows. NULL: nothing to do. */
    bool (*begin)(void *self, int columns, const char *const *names);
    bool (*row)(void *self, int columns, const struct sql_value *values);
    bool (*end)(void *self); /* may be NULL, too */
    void *self;
    /* After a result without rows, where it is known why: a table that the trace cannot fill. NULL
     * where nobody wants to know. */
    void (*note)(void *self, const char *reason);
};

static inline bool sink_begin(const struct sql_sink *s, int columns, const char *const *names)
{
    return !s->begin || s->begin(s->self, columns, names);
}

static inline bool sink_end(const struct sql_sink *s)
{
    return !s->end || s->end(s->self);
}

#endif
