/* What switches and wakeups of threads say as text: in the kernel's words, or in those of trace-cmd
 * and perf (sched_text.h). As Trace Processor reads them: of a name of two words it knows the
 * first.
 */
#ifndef TPTUI_PARSERS_TRACEFS_SWITCH_TEXT_H
#define TPTUI_PARSERS_TRACEFS_SWITCH_TEXT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"
#include "parsers/input/sched_state.h"

/* Texts point into the text that was read. */
struct switch_text {
    struct str prev_comm, next_comm, prev_state;
    int32_t prev_pid, prev_prio, next_pid, next_prio;
};

/* False where the text lacks a number of these; `out` has no meaning then. */
bool switch_text_read(struct str text, struct switch_text *out);

/* The bits of `prev_state`, as the kernel records them before 4.8. */
int64_t switch_text_state(struct str prev_state);

/* The thread that is woken; false where the text lacks its number, which is of 32 bits. */
bool wakeup_text_read(struct str text, struct str *comm, int64_t *pid);

/* For who cuts a window: with names as a whole. */
struct switch_told {
    struct sched_task prev, next;
    struct str state; /* in the text that was read */
};
/* False where switch_text_read says so. */
bool switch_text_told(struct str text, struct switch_told *out);
/* Without who wakes. False where wakeup_text_read says so. */
bool wakeup_text_told(struct str text, struct sched_states_waking *out);

/* The event of such a state behind the head of a line: its name, what it says and the line's end.
 * Their length; `out` has room for SWITCH_TEXT_MAX. */
enum { SWITCH_TEXT_MAX = 384 };
size_t switch_text_tell(const struct switch_told *told, char *out);
/* `has_waking`: the text has the event that a wakeup follows. */
size_t wakeup_text_tell(const struct sched_thread_state *woken, bool has_waking, char *out);

#endif
