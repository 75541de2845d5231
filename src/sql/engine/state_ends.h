/* When thread states end. One whose own end was not recorded lasts until the thread's next state,
 * or to the end of the trace. */
#ifndef TPTUI_SQL_ENGINE_STATE_ENDS_H
#define TPTUI_SQL_ENGINE_STATE_ENDS_H

#include <stdbool.h>
#include <stdint.h>

struct sql_session;
struct state_ends;

/* The session's, made when it is first asked for: all states are looked at once. NULL where there
 * is no memory, or the table is damaged. */
const struct state_ends *state_ends_of(struct sql_session *s);
/* When the session ends. NULL is none. */
void state_ends_free(struct state_ends *e);

/* Of a row of thread_state, in ns; false where there is no such row. */
bool state_end(const struct state_ends *e, int64_t row, int64_t *end);

#endif
