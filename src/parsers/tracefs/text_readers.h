/* What Trace Processor does with some thirty events of ftrace's text, oddities included, and what
 * needs the text where the event's message would not do. */
#ifndef TPTUI_PARSERS_TRACEFS_TEXT_READERS_H
#define TPTUI_PARSERS_TRACEFS_TEXT_READERS_H

#include <stdbool.h>

#include "base/str.h"

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
};

struct text_event_reader {
    const char *event;
    text_reader read;
    enum text_role role;
};

/* NULL where the event has none. */
const struct text_event_reader *text_reader_find(struct str event);

/* Of "sys_read(fd: 3, ...)" and of "sys_read -> 0x1": a slice. */
bool text_read_call(struct text_events *f, const struct text_line *l);
bool text_read_return(struct text_events *f, const struct text_line *l);

#endif
