/* Which of the kernel's events are recorded. */
#ifndef TPTUI_RECORD_EVENT_CHOICE_H
#define TPTUI_RECORD_EVENT_CHOICE_H

#include <stdbool.h>

#include "base/vec.h"

struct chosen_event {
    char *system, *name, *both; /* owned; "sched", "sched_switch", "sched:sched_switch" */
    char *format;               /* its description; owned */
    bool is_syscall;
};

struct event_choice {
    VEC(struct chosen_event) chosen;
    bool needs_symbols; /* some have addresses of kernel functions */
};

/* Adds the events that a list of patterns names, with blanks between: "sched:sched_switch irq:*";
 * without a system: in any. False where there are none. */
bool event_choice_add(struct event_choice *c, int tracefs, const char *patterns);
void event_choice_release(struct event_choice *c);

#endif
