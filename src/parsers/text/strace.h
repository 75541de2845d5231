/* The output of strace -f -ttt, with or without -T: one line a system call, or two where another
 * thread's came in between.
 *
 *     1000 1700000052.321000 openat(AT_FDCWD, "/etc/passwd", O_RDONLY) = 3 <0.000012>
 *     1000 1700000052.322000 futex(0x7f, FUTEX_WAIT, 2, NULL <unfinished ...>
 *     1000 1700000052.322500 <... futex resumed> ) = 0 */
#ifndef TPTUI_PARSERS_TEXT_STRACE_H
#define TPTUI_PARSERS_TEXT_STRACE_H

#include "parsers/input/trace_format.h"

extern const struct trace_format strace_trace_format;

#endif
