#include "sql/engine/query_log.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/clock.h"

static struct query_record *last(struct query_log *log)
{
    return &log->records[(log->count - 1) % QUERY_LOG_SIZE];
}

void query_log_start(struct query_log *log, struct str text)
{
    log->count++;
    free(last(log)->text);
    *last(log) =
        (struct query_record){.text = alloc_copy(text.p, text.n), .started = clock_now_ns()};
}

void query_log_row(struct query_log *log)
{
    if (last(log)->rows++ == 0)
        last(log)->first_row = clock_now_ns();
}

void query_log_end(struct query_log *log)
{
    last(log)->ended = clock_now_ns();
}

void query_log_release(struct query_log *log)
{
    for (int i = 0; i < QUERY_LOG_SIZE; i++)
        free(log->records[i].text);
}
