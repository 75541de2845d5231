/* Switches and wakeups as trace-cmd and perf print them, in place of the kernel's own text:
 *
 *     bash:1234 [120] S ==> swapper/1:0 [120]
 *     bash:1234 [120] success=1 CPU:001            or "bash:1234 [120]<CANT FIND FIELD ...>" */
#ifndef TPTUI_PARSERS_TRACEFS_SCHED_TEXT_H
#define TPTUI_PARSERS_TRACEFS_SCHED_TEXT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"

struct sched_text_task {
    struct str comm;
    int64_t pid, prio;
};

/* False where the text is not of that form. */
bool sched_text_switch(struct str text, struct sched_text_task *prev, struct str *state,
                       struct sched_text_task *next);
bool sched_text_wakeup(struct str text, struct sched_text_task *woken);

#endif
