/* A bug report's text, or the battery's history alone (battery_history.h). Lines become rows of
 * android_dumpstate with the section, and the service that dumpsys asked, they stand in; those of
 * the log become events of it, too.
 *
 *     ------ DUMPSYS CRITICAL (/system/bin/dumpsys) ------
 *     DUMP OF SERVICE activity:
 *     ...
 *     ------ 0.356s was the duration of 'DUMPSYS CRITICAL' ------
 *     ------ SYSTEM LOG (logcat -v threadtime -v printable -v uid) ------ */
#ifndef TPTUI_PARSERS_TEXT_DUMPSTATE_H
#define TPTUI_PARSERS_TEXT_DUMPSTATE_H

#include "parsers/input/trace_format.h"

extern const struct trace_format dumpstate_trace_format;

#endif
