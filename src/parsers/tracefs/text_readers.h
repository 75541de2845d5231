/* What Trace Processor does with some thirty events of ftrace's text, oddities included, and what
 * needs the text where the event's message would not do. */
#ifndef TPTUI_PARSERS_TRACEFS_TEXT_READERS_H
#define TPTUI_PARSERS_TRACEFS_TEXT_READERS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/str.h"

struct felt_sink;
struct ftrace_event;
struct text_events;
struct text_line;

/* False: the handler of the event's message shall see it, too. */
typedef bool (*text_reader)(struct text_events *f, const struct text_line *l);

enum text_role {
    TEXT_PLAIN,
    TEXT_MARK,   /* what programs write, whatever the event is called */
    TEXT_STACK,  /* lines of it follow */
    TEXT_SWITCH, /* its reader makes the row */
    TEXT_WAKING,
    TEXT_WAKEUP, /* the same where the text has none of TEXT_WAKING */
};

/* What is felt of what a reader does, where that is not what is felt of the event's message
 * (perfetto/ftrace/ftrace_felt.h): `e` is the event, without a payload. */
typedef void (*text_sayer)(const struct ftrace_event *e, struct str event, struct str args,
                           struct felt_sink *out);

struct text_event_reader {
    const char *event;
    text_reader read;
    enum text_role role;
    text_sayer say; /* NULL: the message's row says it */
};

extern const struct text_event_reader text_event_readers[];
extern const size_t text_reader_count;

/* NULL where the event has none. */
const struct text_event_reader *text_reader_find(struct str event);

/* Of "sys_read(fd: 3, ...)" and of "sys_read -> 0x1": a slice. */
bool text_read_call(struct text_events *f, const struct text_line *l);
bool text_read_return(struct text_events *f, const struct text_line *l);

/* What is felt of calls and returns, on the thread's track. */
void text_say_call(const struct ftrace_event *e, struct str event, struct str args,
                   struct felt_sink *out);
void text_say_return(const struct ftrace_event *e, struct str event, struct str args,
                     struct felt_sink *out);

#endif
