/* Processes and threads of the machine, as packets: all of them at the begin, new ones when events
 * name them. Those of the command that is recorded are marked. */
#ifndef TPTUI_RECORD_PROCESSES_H
#define TPTUI_RECORD_PROCESSES_H

#include <stdint.h>

#include "record/source.h"

struct record_processes *record_processes_new(void);
void record_processes_free(struct record_processes *p);

/* Reads all of /proc. */
void record_processes_scan(struct recorder *r);

/* A thread was seen to run or be woken. */
void record_processes_note(struct record_processes *p, int32_t tid);
/* A new thread or process, or a new program in it: what was known of the tid is not true any more.
 */
void record_processes_changed(struct record_processes *p, int32_t tid);
/* `parent` has made `tid`. */
void record_processes_made(struct recorder *r, int32_t parent, int32_t tid, bool is_thread,
                           uint64_t ts);
/* Reads what was noted since the last time. */
void record_processes_flush(struct recorder *r);

/* Marks a process with a label; those that it makes get the same one. */
void record_processes_mark(struct recorder *r, int32_t pid, const char *label);

#endif
