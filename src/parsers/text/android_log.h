/* What logcat prints, in each of its formats, with or without year, zone and user:
 *
 *     06-24 16:24:23.441  1000   123   456 I tag: message      threadtime (the user may lack)
 *     06-24 16:24:23.441 I/tag     (  123): message            time
 *     [ 06-24 16:24:23.441   123:  456 I/tag ]                 long: the message follows, then an
 *                                                              empty line
 *     I/tag     (  123): message                               brief
 *     I(  123) message  (tag)                                  process
 *     I(  123:  456) message                                   thread
 *     I/tag     : message                                      tag
 *     message                                                  raw
 *
 * What Android Studio shows of it, of which further lines of a message repeat no head:
 *
 *     06-24 16:24:23.441 123-456/com.app I/tag: message
 *     2023-06-24 16:24:23.441  123-456  tag   com.app   I  message
 *
 * Colours (-v color) are left out. The formats are those of logcat(1), section "Control log output
 * format", and of Android Studio's window Logcat.
 *
 * Where there is no time, the order of the lines takes its place. */
#ifndef TPTUI_PARSERS_TEXT_ANDROID_LOG_H
#define TPTUI_PARSERS_TEXT_ANDROID_LOG_H

#include "base/arena.h"
#include "base/map.h"
#include "base/vec.h"
#include "core/android_log.h"
#include "parsers/input/time_sort.h"
#include "parsers/input/trace_format.h"

extern const struct trace_format android_log_trace_format;

/* Events of a file, which become rows in order of time. */
struct android_log {
    struct trace *trace;
    struct arena arena;
    VEC(struct timed) entries;
    int32_t year;                     /* of dates without one */
    bool is_bug_report;               /* the lines are of its own text */
    bool takes_anything;              /* a line that is no event is one of raw format */
    int64_t untimed;                  /* events without a time so far */
    struct android_log_event *open;   /* of long format: its message follows */
    struct android_log_event *studio; /* of Android Studio: more lines may follow */
    struct map processes;             /* pid -> name */
    VEC(char) message;
};

/* `name` is the file's. Dates without a year are of the year that a bug report around the file
 * told, else of the one in the name, else of 1970. */
void android_log_begin(struct android_log *l, struct trace *t, const char *name);
/* A line that is no event is counted: as one of an unknown form where none was read yet. */
void android_log_line(struct android_log *l, struct str line);
/* Adds the rows and ends it. */
void android_log_finish(struct android_log *l);

#endif
