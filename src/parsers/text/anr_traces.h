/* What Android writes to /data/anr when an app does not respond: the threads of processes, each
 * with what it was doing.
 *
 *     ----- pid 4242 at 2023-06-24 16:29:50.123456789+0000 -----
 *     Cmd line: com.example.app
 *     "main" prio=5 tid=1 Blocked
 *       | sysTid=4242 nice=-10
 *       native: #00 pc 0000000000081dd8  /system/lib64/libc.so (syscall+28)
 *       at com.example.Store.get(Store.java:42)
 *       - waiting to lock <0x0a> (a com.example.Store) held by thread 12
 *       at com.example.Main.onCreate(Main.java:7)
 *
 *     ----- end 4242 -----
 *
 * and what other Java virtual machines print, in much the same words:
 *
 *     2023-12-07 16:45:12
 *     Full thread dump OpenJDK 64-Bit Server VM (17.0.8+7 mixed mode, sharing):
 *
 *     "main" #1 prio=5 os_prio=0 tid=0x00007f8b48012800 nid=0x1093 runnable  [0x00007f8b50c4b000]
 *        java.lang.Thread.State: RUNNABLE
 *             at app.Main.main(Main.java:12)
 *
 * As Android's runtime (art/runtime/thread.cc, Thread::DumpState and DumpStack) and debuggerd write
 * it. Of a process without Java: `"name" sysTid=600`, and "#00 pc ..." without a word before. */
#ifndef TPTUI_PARSERS_TEXT_ANR_TRACES_H
#define TPTUI_PARSERS_TEXT_ANR_TRACES_H

#include "parsers/input/trace_format.h"

extern const struct trace_format anr_traces_trace_format;
extern const struct trace_format java_threads_trace_format;

struct anr_traces;

/* The same lines within another file: what was read becomes rows, and is freed, with `finish`. */
struct anr_traces *anr_traces_begin(struct trace *t);
void anr_traces_line(struct anr_traces *a, struct str line);
void anr_traces_finish(struct anr_traces *a);

#endif
