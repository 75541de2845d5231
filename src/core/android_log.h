/* Android's log as text has it: events with a process, a priority and a tag. A bug report has many
 * of them twice, in its own text and in the files of the log. */
#ifndef TPTUI_CORE_ANDROID_LOG_H
#define TPTUI_CORE_ANDROID_LOG_H

#include <stdbool.h>
#include <stdint.h>

#include "base/map.h"
#include "core/store/string_pool.h"

struct trace;

/* The letters of priorities, V to F, as Android numbers them. */
enum android_log_priority {
    ANDROID_LOG_UNSPECIFIED = 0,
    ANDROID_LOG_VERBOSE = 2,
    ANDROID_LOG_DEBUG,
    ANDROID_LOG_INFO,
    ANDROID_LOG_WARN,
    ANDROID_LOG_ERROR,
    ANDROID_LOG_FATAL,
};

struct android_log_event {
    int64_t ts; /* ns */
    uint32_t pid, tid;
    enum android_log_priority priority;
    string_id tag, message;
};

/* What the files of an archive share. */
struct android_logs {
    int32_t year;    /* of the bug report, whose times have none; 0: not known */
    struct map seen; /* hash of an event of a log's file -> how many the report has not had yet */
};

void android_logs_release(struct android_logs *logs);

/* The year that the name of a bug report ends with: "bugreport-NAME-2022-12-31-23-59-00.txt"; 0
 * where it is no such name. */
int32_t android_bug_report_year(struct str name);

/* An event of a file of the log. */
void android_logs_note(struct trace *t, const struct android_log_event *e);
/* Whether an event of the bug report's text was in such a file; once for each that was. */
bool android_logs_take(struct trace *t, const struct android_log_event *e);

/* The event's row, of the machine that is being read. */
void android_log_append(struct trace *t, const struct android_log_event *e);

#endif
