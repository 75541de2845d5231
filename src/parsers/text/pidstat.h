/* What pidstat prints: after a header that names the columns, a line for each process (with -t: and
 * thread) and time.
 *
 *     Linux 6.1.0 (host)      11/22/26        _x86_64_        (2 CPU)
 *
 *     14:33:57      UID       PID    %usr %system  %guest   %wait    %CPU   CPU  Command
 *     14:33:58        0       565    5.71    5.71    0.00   84.76   11.43     1  app
 *
 * As pidstat(1) of sysstat says. Times are of the day that the first line names, with or without AM
 * and PM, or (-H) seconds since 1970. */
#ifndef TPTUI_PARSERS_TEXT_PIDSTAT_H
#define TPTUI_PARSERS_TEXT_PIDSTAT_H

#include "parsers/input/trace_format.h"

extern const struct trace_format pidstat_trace_format;

#endif
