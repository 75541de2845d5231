/* Tells whoever runs a statement that SQLite has been handed many rows of tables for it: only then
 * may it be worth while to think about another way. */
#ifndef TPTUI_SQL_ENGINE_ROW_WATCH_H
#define TPTUI_SQL_ENGINE_ROW_WATCH_H

#include <stdbool.h>
#include <stdint.h>

struct row_watch {
    uint64_t left; /* rows until `reached` is called, within a scan */
    /* The table that was read last has about so many more. The result is after how many rows it is
     * to be called again; 0 where the statement shall fail. It may compile statements, but not run
     * those that read tables. */
    uint64_t (*reached)(void *self, uint64_t coming);
    void *self;
};

#define ROW_WATCH_NONE ((struct row_watch){.left = UINT64_MAX})

/* Has it told, as none is while it is; false where the statement shall fail. */
static inline bool row_watch_tell(struct row_watch *w, uint64_t coming)
{
    struct row_watch watch = *w;
    *w = ROW_WATCH_NONE;
    uint64_t more = watch.reached ? watch.reached(watch.self, coming) : UINT64_MAX;
    watch.left = more > 0 ? more : 1;
    *w = watch;
    return more > 0;
}

/* Of rows that were read at once; the same. */
static inline bool row_watch_passes(struct row_watch *w, uint64_t rows)
{
    while (rows >= w->left) {
        rows -= w->left;
        if (!row_watch_tell(w, 0))
            return false;
    }
    w->left -= rows;
    return true;
}

#endif
