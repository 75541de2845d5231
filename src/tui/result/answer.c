#include "tui/result/answer.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "sql/session.h"

enum { ANSWER_MEMORY = 64 << 20 };

struct answer *answer_new(void)
{
    struct answer *a = alloc_array(1, sizeof *a);
    result_feed_init(&a->feed, ANSWER_MEMORY);
    return a;
}

void answer_free(struct answer *a)
{
    if (!a)
        return;
    result_release(a->result);
    result_feed_release(&a->feed);
    free(a);
}

struct status answer_ask(struct answer *a, struct sql_session *session, const char *source,
                         struct str sql)
{
    struct sql_sink sink = result_feed_sink(&a->feed);
    struct status status = sql_session_run(session, source, sql, &sink);
    result_feed_end(&a->feed);
    a->result = result_feed_take(&a->feed);
    a->rows = a->result ? result_rows(a->result) : 0;
    a->columns = a->result ? result_columns(a->result) : 0;
    return status;
}

int answer_column(const struct answer *a, const char *name)
{
    return a->result ? result_column(a->result, name) : -1;
}

const char *answer_name(const struct answer *a, uint32_t column)
{
    return result_name(a->result, column);
}

struct sql_value answer_value(const struct answer *a, uint32_t row, uint32_t column)
{
    struct result_reader reader = {.result = a->result};
    return result_read(&reader, row, column);
}
