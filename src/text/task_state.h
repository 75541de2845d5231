/* The state in which a thread left a cpu, as sched_switch reports it, to the letters that sched and
 * thread_state show: "S", "R+", "DK" ... */
#ifndef TPTUI_TEXT_TASK_STATE_H
#define TPTUI_TEXT_TASK_STATE_H

#include <stddef.h>
#include <stdint.h>

#include "base/str.h"

/* major << 16 | minor; 0 where the trace does not say, which counts as 4.4. */
typedef uint32_t kernel_version;

enum { TASK_STATE_LONGEST = 16 };

struct task_state_text {
    char text[TASK_STATE_LONGEST];
    size_t n; /* 0: not a state of that kernel */
};

/* The bits changed their meaning in 4.8 and in 4.14. */
struct task_state_text task_state_from_raw(int64_t prev_state, kernel_version version);

/* The letters in words, as sched_state_to_human_readable_string has them: "R+" is "Runnable
 * (Preempted)"; what is not of such letters, as "Running", stays as it is. At most `size` bytes
 * with a NUL. */
void task_state_words(struct str letters, char *out, size_t size);

/* "5.10.43-android12" -> 5 << 16 | 10; 0 where it does not start like that. */
kernel_version kernel_version_parse(struct str release);

#endif
