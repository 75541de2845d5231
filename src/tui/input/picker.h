/* A list over the timeline to choose from: threads, hits of a search, actions, flows, marks. What
 * is typed narrows it; of tracks, actions and tables, those come first that it names. */
#ifndef TPTUI_TUI_INPUT_PICKER_H
#define TPTUI_TUI_INPUT_PICKER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/vec.h"
#include "tui/input/editor.h"
#include "tui/cells/cells.h"

enum { PICKER_COLUMNS = 6 };

struct picker_item {
    struct str text[PICKER_COLUMNS]; /* in the arena */
    int64_t number[PICKER_COLUMNS];  /* what the column is sorted by, where it is a number */
    uint32_t value;                  /* as the list's kind says */
    bool marked;                     /* has a * in front: a track that is pinned */
    bool written;                    /* its texts are there: picker.write */
};

struct picker_column {
    const char *name;
    int width;    /* 0: what is left */
    bool numeric; /* sorted by number, largest first; right-aligned */
};

/* What is chosen from, and what the value of an item is. */
enum picker_kind {
    PICK_NONE,       /* no list is open */
    PICK_TRACK,      /* node of the tree */
    PICK_SEARCH,     /* index of a hit */
    PICK_ACTION,     /* index of an action */
    PICK_FLOW,       /* index in app.view->listed */
    PICK_MARK,       /* index of a note */
    PICK_STATE,      /* row of thread_state */
    PICK_DIFFERENCE, /* a table of differences.h */
    PICK_STEP,       /* a step of query_steps.h */
    PICK_OBJECT,     /* index of an object of the schema; UINT32_MAX: the module itself */
    PICK_SCHEMA,     /* of an object, as schema_browser.h has it */
    PICK_FUNCTION,   /* a name of app.flame->stacks */
    PICK_FILE,       /* index of a trace in app.program->list */
    PICK_THEME,      /* its name is the first text */
    PICK_QUERY,      /* index of a favourite, or behind those of a query in the history */
};

struct picker {
    enum picker_kind kind;
    /* Writes an item's texts once they are asked for, as lists may have 100,000s of items; its
     * numbers are there already. NULL: all items have theirs. */
    void (*write)(void *owner, struct picker *p, struct picker_item *item);
    void *owner;
    char title[128];
    struct arena arena;
    struct picker_column columns[PICKER_COLUMNS];
    int column_count;
    VEC(struct picker_item) items;
    VEC(uint32_t) shown; /* indexes of items that match, in order */
    struct editor filter;
    bool filtering; /* keys go to the filter; else they move */
    uint32_t selected, top;
    int drawn_y; /* the line that the first item was drawn on last */
    int sorted_by;
};

void picker_init(struct picker *p);
void picker_release(struct picker *p);
/* Empty, of that kind. */
void picker_open(struct picker *p, enum picker_kind kind, const struct picker_column *columns,
                 int count, bool filtering);
void picker_close(struct picker *p);

/* A new item without texts; valid until the next one is added. */
struct picker_item *picker_add(struct picker *p, uint32_t value);
/* The item's text in a column, copied; cut at 511 bytes. */
__attribute__((format(printf, 4, 5))) void picker_set(struct picker *p, struct picker_item *item,
                                                      int column, const char *format, ...);

/* Sorts by a column and shows what matches; call after adding, too. */
void picker_sort(struct picker *p, int column);
void picker_filter(struct picker *p);
/* The item chosen, NULL where none matches. */
struct picker_item *picker_chosen(struct picker *p);
void picker_move(struct picker *p, int64_t by);

/* Selects what was drawn on that line of the screen; false where nothing was. */
bool picker_point(struct picker *p, int y);
/* Returns the cell of the filter's caret. */
struct editor_caret picker_draw(struct cells *c, struct rect area, struct picker *p);

#endif
