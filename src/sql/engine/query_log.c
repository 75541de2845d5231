#include "sql/engine/query_log.h"

#include <stdlib.h>
#include <time.h>

#include "base/alloc.h"

static int64_t now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static struct query_record *last(struct query_log *log)
{
    return &log->records[(log->count - 1) % QUERY_LOG_SIZE];
}

void query_log_start(struct query_log *log, struct str text)
{
    log->count++;
    free(last(log)->text);
    *last(log) = (struct query_record){.text = alloc_copy(text.p, text.n), .started = now()};
}

void query_log_row(struct query_log *log)
{
    if (last(log)->rows++ == 0)
        last(log)->first_row = now();
}

void query_log_end(struct query_log *log)
{
    last(log)->ended = now();
}

void query_log_release(struct query_log *log)
{
    for (int i = 0; i < QUERY_LOG_SIZE; i++)
        free(log->records[i].text);
}
