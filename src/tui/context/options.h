/* What the timeline program is asked for: a trace, how it is read, and how the screen is used. */
#ifndef TPTUI_TUI_CONTEXT_OPTIONS_H
#define TPTUI_TUI_CONTEXT_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "parsers/cache.h"
#include "tui/context/pair.h"
#include "tui/term/term.h"

struct alerts;
struct bindings;

struct tui_options {
    const char *path; /* of the trace; "-" is standard input; see `list` */
    bool list; /* the trace is chosen from those below the folder `path`, NULL: opened last */
    const struct trace_format *as; /* what it is read as; NULL: what it looks like */
    bool follow;                   /* load it anew as it grows */
    bool follow_whole;             /* it does not grow, but is replaced by a whole one */
    uint64_t first_part;      /* bytes of the file shown before all is read; 0: as follow.h says */
    struct pair_options pair; /* a second trace beside it */
    const char *script;       /* NULL: a terminal */
    FILE *show;               /* with `script`: instead, the first screen as text */
    const char *at;           /* with `show`: a time to go to before; NULL: none */
    const char *place;        /* to start at, as place.h says; NULL: the whole trace */
    const char *session;      /* a file to keep it in; NULL: the one of the trace */
    const char *const *debug_tracks; /* "NAME=SQL" each */
    size_t debug_track_count;
    bool sql;          /* starts in the query pane, over the whole screen */
    bool below_prompt; /* with `sql`: in a few lines of the shell's screen */
    int width, height; /* of the screen a script sees; 0: 120x36 */
    const char *theme; /* NULL: the default */
    enum term_charset charset;
    bool no_colour;
    bool mouse;
    const struct bindings *bindings; /* keys; NULL: those of the action table */
    int escape_delay_ms;             /* 0: the default */
    uint64_t sort_memory;            /* bytes, of each connection; 0: the default */
    bool no_vector;                  /* queries run row by row */
    struct cache_options cache;
    const struct alerts *alerts; /* NULL: none */
    bool foreign_sql;            /* of a session file of somebody else's runs unasked */
    struct time_window window;   /* of the trace; all zero: all of it */
};

#endif
