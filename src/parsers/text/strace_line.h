/* A line of strace's output, in any of the forms that its options make:
 *
 *     1000 1700000052.321000 openat(AT_FDCWD, "/etc/passwd", O_RDONLY) = 3 <0.000012>
 *     [pid  1000] 14:32:01.123456 [00007f431c509ad7] futex(0x7f, FUTEX_WAIT, 2 <unfinished ...>
 *     0.000123 <... futex resumed>)  = 0
 *     1700000052.321000 (+     0.000100) [ 257] close(3) = 0          of -r -ttt -n
 *     1000<sh> 1700000052.321000 close(3) = 0                         of -Y
 *     --- SIGCHLD {si_signo=SIGCHLD, si_code=CLD_EXITED, ...} ---
 *     +++ exited with 0 +++
 *      > /usr/lib/libc.so.6(__open+0x14) [0xabc]                       of -k, below a call
 *     strace: Process 1001 attached
 *
 * On a terminal, other output breaks a line in two:
 *
 *     vfork(strace: Process 1002 attached
 *      <unfinished ...>
 *     write(1, "done\n", 5done
 *     ) = 5
 *
 * The form is that of strace(1), section "Trace output format", and of what versions 4 to 6 print.
 */
#ifndef TPTUI_PARSERS_TEXT_STRACE_LINE_H
#define TPTUI_PARSERS_TEXT_STRACE_LINE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"

enum strace_line_kind {
    STRACE_OTHER,
    STRACE_CALL,
    STRACE_SIGNAL, /* `name` is the signal's, `args` what came with it */
    STRACE_EXIT,   /* `name` says how */
    STRACE_STACK,  /* `args` is the frame */
    STRACE_ATTACH, /* `pid` is the thread that strace follows from now on; `args` the call that
                    * this interrupted, if any */
    STRACE_PART,   /* a call that other output has interrupted: `args` is the line */
};

enum strace_time {
    STRACE_NO_TIME,
    STRACE_EPOCH,    /* -ttt */
    STRACE_OF_DAY,   /* -tt and -t: since midnight, of no known day */
    STRACE_RELATIVE, /* -r: since the line before */
};

struct strace_line {
    enum strace_line_kind kind;
    enum strace_time time;
    bool is_coarse;             /* calls that follow each other may have the same time */
    int64_t ns;                 /* since what `time` says */
    bool has_pid, has_brackets; /* around the pid */
    uint32_t pid;
    bool resumed, unfinished;
    int64_t dur; /* ns; 0 where the line does not tell */
    /* Within the text; empty where they are missing. */
    struct str name, args, result, address, thread_name;
};

/* Whether the line goes on where a call was interrupted. */
bool strace_line_goes_on(struct str text);

/* Reads any line: what cannot be understood is STRACE_OTHER. */
struct strace_line strace_line_read(struct str text);

#endif
