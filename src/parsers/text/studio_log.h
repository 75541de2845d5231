/* Logs that Android Studio's window Logcat exports (.logcat): a JSON object whose list
 * "logcatMessages" has a header and the text of each message. Rows of android_logs.
 *
 *     {"header": {"logLevel": "DEBUG", "pid": 1, "tid": 2, "processName": "com.app", "tag": "T",
 *                 "timestamp": {"seconds": 1671234567, "nanos": 1000}}, "message": "text"}
 *
 * As LogcatMessage of Android Studio's sources names the members. */
#ifndef TPTUI_PARSERS_TEXT_STUDIO_LOG_H
#define TPTUI_PARSERS_TEXT_STUDIO_LOG_H

#include "parsers/input/trace_format.h"

extern const struct trace_format studio_log_trace_format;

#endif
