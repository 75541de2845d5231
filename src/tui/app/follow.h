/* --follow: a trace that still grows is loaded anew when it has. What is shown stays until the new
 * one is there. A trace whose copy in the cache turns out to be damaged is loaded anew in the same
 * way.
 *
 * So is a large trace, of which the first part of the file is shown until all is read, and one that
 * comes through a pipe, of which that part is shown which has come. Findings and queries wait for
 * all. Where the rest is not read, as the user or the lack of memory stopped it, the part stays.
 *
 * A picture of tables while they are filled would need an order and indexes that they get at the
 * end only; a part loaded as a trace of its own costs a sixteenth of the load at most and needs
 * nothing of the importers. */
#ifndef TPTUI_TUI_APP_FOLLOW_H
#define TPTUI_TUI_APP_FOLLOW_H

#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"
#include "core/trace_builder.h"
#include "tui/context/effects.h"

struct app;
struct piped_file;
struct piped_wish;

/* How often the file is looked at, and how long it must stay as it is before it is loaded: some
 * write all the time, and are loaded after FOLLOW_AT_LEAST_MS. */
enum { FOLLOW_LOOK_MS = 500, FOLLOW_AT_LEAST_MS = 3000 };
/* What is replaced as a whole is loaded at once: how often is up to who replaces it, as long as
 * what is drawn for it is no more than that many bytes a second; one is not put off for longer. */
enum { FOLLOW_WHOLE_LOOK_MS = 50, FOLLOW_BYTES_A_SECOND = 20000, FOLLOW_PUT_OFF_MS = 3000 };
int follow_look_ms(const struct app *a);

/* What tells whether a file is another, or has changed. */
struct followed_file {
    bool there; /* and a regular file: all else is not looked at */
    int64_t size, changed_ns;
    uint64_t device, inode;
};

/* From this size of file on a part is shown, which is at most so much, and at most that share of
 * all: reading it twice costs little. */
enum { FOLLOW_LARGE = 192 << 20, FOLLOW_PART = IMPORT_HEAD, FOLLOW_SHARE = 16 };

/* Of a pipe, whose size nobody knows, what has come after so long, if that is so much; it is read
 * again once that has doubled, and where it is large, grown by FOLLOW_SHARE. What is no trace in
 * its first FOLLOW_HEAD bytes is none. */
enum { FOLLOW_PIPED_MS = 700, FOLLOW_PIPED_LEAST = 64 << 10, FOLLOW_HEAD = 4 << 20 };

struct follow {
    bool no_part;             /* it cannot be told from a part of the file what is in it */
    struct piped_file *piped; /* standard input, where that is a pipe; owned by the loop */
    bool unreadable;          /* the first bytes of it were too few to tell what it is */
    struct followed_file shown, seen;
    char text[80];                 /* of follow_part_text */
    bool told;                     /* that it is not there any more */
    bool unread;                   /* what it holds now could not be loaded */
    bool another;                  /* it did not just grow since what is shown was loaded */
    int64_t looked_ms, changed_ms; /* when; of a clock that does not stop */
    int64_t begun_ms; /* when the last load began, and what had been drawn until then */
    uint64_t begun_bytes;
    bool damaged; /* app.next takes the place of what was found damaged */
    int64_t ts;   /* ns; after app_load_again: the time to be in the window */
};

/* The file as it is now is what is about to be loaded. */
void follow_begin(struct app *a);
/* Whether any part may be shown: what else is asked for needs all of the trace. */
bool follow_may_show_part(const struct app *a);
/* How much of the file is to be read next, behind the part that is shown; 0: all. */
uint64_t follow_part(const struct app *a);
/* The same of a pipe: what to wait for. */
struct piped_wish follow_piped_wish(const struct app *a);
/* Notes whether what the file holds now was loaded, and says why not. */
void follow_note_load(struct app *a, const struct status *s);
/* What the header says of the part that is shown, or of a file that is not any more what is shown;
 * NULL: all of the trace is. */
const char *follow_part_text(struct app *a);
/* Whether the file has grown, or is another, so that it is to be loaded; looks at most every
 * follow_look_ms. Says so where there is none any more. */
bool follow_look(struct app *a);
/* Whether what was loaded may take the place of what is shown: the user is not in the middle of
 * something. */
bool follow_may_swap(const struct app *a);

#endif
