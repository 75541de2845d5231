/* The answer to a question that the program asks itself: a result that is looked at when all of it
 * is there. */
#ifndef TPTUI_TUI_RESULT_ANSWER_H
#define TPTUI_TUI_RESULT_ANSWER_H

#include "base/status.h"
#include "tui/result/result.h"

struct sql_session;

struct answer {
    struct result_feed feed;
    struct result *result; /* NULL: there was none */
    uint32_t rows, columns;
};

struct answer *answer_new(void);
void answer_free(struct answer *a);

/* Runs the script; `source` names it in messages. The last result set is the answer.
 * Once for each answer. */
struct status answer_ask(struct answer *a, struct sql_session *session, const char *source,
                         struct str sql);

/* The column of that name, or -1. */
int answer_column(const struct answer *a, const char *name);
const char *answer_name(const struct answer *a, uint32_t column);
/* The row and column must be there. Text is valid for as long as the answer. */
struct sql_value answer_value(const struct answer *a, uint32_t row, uint32_t column);

#endif
