/* What ran in a session: the last queries with their times, as sqlstats shows them. */
#ifndef TPTUI_SQL_ENGINE_QUERY_LOG_H
#define TPTUI_SQL_ENGINE_QUERY_LOG_H

#include <stdint.h>

#include "base/str.h"

enum { QUERY_LOG_SIZE = 100 };

/* Times in ns of the monotonic clock, 0 where it has not come to that. */
struct query_record {
    char *text; /* owned */
    int64_t started, first_row, ended, rows;
};

/* The oldest record gives way. */
struct query_log {
    struct query_record records[QUERY_LOG_SIZE];
    uint64_t count; /* of all that were ever added; the last is records[(count - 1) % SIZE] */
};

/* `text` is copied. */
void query_log_start(struct query_log *log, struct str text);
/* The query that started last has a row more, or has ended. */
void query_log_row(struct query_log *log);
void query_log_end(struct query_log *log);
void query_log_release(struct query_log *log);

#endif
