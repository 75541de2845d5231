/* Text for a terminal: what comes out of traces, SQL and names of files must not control it. */
#ifndef TPTUI_BASE_SHOWN_STREAM_H
#define TPTUI_BASE_SHOWN_STREAM_H

#include <stdio.h>

#include "base/vec.h"

struct shown_stream {
    int fd;
    VEC(char) text; /* not yet looked at: the beginning of a character, and what was given last */
    VEC(char) shown;
};

/* A stream that writes to a descriptor. Both and `s` stay the caller's, and last as long as it. Of
 * what it is given only printable characters, newlines and tabs pass as they are, the others as
 * text_escape_next shows them. What is to control the terminal goes to the descriptor itself. NULL
 * where there is no such stream. */
FILE *shown_stream_open(struct shown_stream *s, int fd);

#endif
