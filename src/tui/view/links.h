/* Which threads and tracks belong to the event under the cursor, by flows: the server of a binder
 * call, and the server that one waits for in turn; the ends of arrows that queries draw; of a wait
 * what ended it. */
#ifndef TPTUI_TUI_VIEW_LINKS_H
#define TPTUI_TUI_VIEW_LINKS_H

#include <stdbool.h>
#include <stdint.h>

#include "tui/view/track_tree.h"

enum { LINKS_MAX = 4 };

enum link_kind {
    LINK_FLOW,
    LINK_WAKER,     /* from the state that begins there to that of the thread which woke it */
    LINK_INTERRUPT, /* to the interrupt, or the state of the thread that ran when it came */
};

struct link {
    struct event_ref from, to; /* `from` is nearer to the cursor */
    enum link_kind kind;
    uint32_t node;  /* where `to` is */
    uint32_t level; /* 0: linked to the event under the cursor itself */
    bool incoming;  /* the arrow points from `to` to `from` */
};

/* The links of an event, by the trace's flows, wakeups and arrows: none to its own node, and no
 * node twice, unless they are in place. Returns how many. */
int links_find(const struct timeline *tl, const struct track_tree *tree, struct event_ref event,
               struct link out[LINKS_MAX]);

/* Whether the arrow is drawn to the row where that stands, as with a query's track that is pinned.
 * Other linked rows are shown once more below the cursor's, and the arrow leads there. */
bool link_is_in_place(const struct track_tree *tree, const struct link *link);

/* The longest slice below `slice` on its track that a flow leaves; NULL_U32 where there is none.
 * At most a few thousand slices are looked at. */
uint32_t links_longest_call(const struct timeline *tl, uint32_t slice);

/* The same, also counting slices that say that a lock was waited for. */
uint32_t links_longest_wait(const struct timeline *tl, uint32_t slice);

/* The thread that owned the lock which a slice waited for, by the slice's name ("monitor contention
 * with owner NAME (ID) at ...", "Lock contention on ... (owner tid: TID)"); NULL_U32 where the name
 * says nothing or the thread is not known. */
uint32_t links_lock_owner(const struct timeline *tl, uint32_t slice);

#endif
