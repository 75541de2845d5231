/* Events of scheduling for who cuts a window: what they do to the state that is felt
 * (parsers/input/sched_state.h), and the events that tell such a state again. */
#ifndef TPTUI_PARSERS_PERFETTO_FTRACE_FTRACE_SCHED_H
#define TPTUI_PARSERS_PERFETTO_FTRACE_FTRACE_SCHED_H

#include "parsers/perfetto/ftrace/ftrace_compact_view.h"
#include "parsers/perfetto/ftrace/ftrace_felt.h"
#include "parsers/proto/write.h"

/* `say` of rows; nothing where the sink has no states. */
void ftrace_say_switch(const struct ftrace_event *e, struct felt_sink *out);
void ftrace_say_waking(const struct ftrace_event *e, struct felt_sink *out);
/* The same of a row of columns. */
void ftrace_felt_compact_switch(const struct felt_sched *to, const struct compact_sched_view *c,
                                const struct compact_switch *s, int64_t ts);
void ftrace_felt_compact_waking(const struct felt_sched *to, const struct compact_sched_view *c,
                                const struct compact_waking *k, int64_t ts);

/* Add an event to a bundle, at a time of the bundle's clock. */
void ftrace_tell_switch(struct pb_bytes *out, int64_t ts, const struct sched_task *prev,
                        int64_t prev_state, const struct sched_task *next);
void ftrace_tell_waking(struct pb_bytes *out, int64_t ts, const struct sched_thread_state *t);
/* Only who runs. */
void ftrace_tell_running(struct pb_bytes *out, int64_t ts, const struct sched_task *next);

#endif
