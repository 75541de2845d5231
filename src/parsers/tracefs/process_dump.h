/* What systrace's pages say of processes and threads: the output of ps, once with a line for each
 * process, once with a line for each thread.
 *
 *     PROCESS DUMP
 *     USER           PID  PPID     VSZ    RSS WCHAN  PC S NAME                        COMM
 *     root             1     0   10632   8124 0       0 S init                        init
 *     USER           PID   TID CMD
 *     root             1     1 init */
#ifndef TPTUI_PARSERS_TRACEFS_PROCESS_DUMP_H
#define TPTUI_PARSERS_TRACEFS_PROCESS_DUMP_H

#include "base/str.h"

struct trace;

/* Reads and applies the text; lines that are neither are skipped. */
void process_dump_read(struct trace *t, struct str text);

#endif
