#include "tui/timeline/critical_path.h"

#include "text/time.h"
#include <inttypes.h>
#include <stdio.h>

#include "text/time_format.h"
#include "tui/context/state.h"
#include "tui/timeline/timeline_view.h"
#include "tui/view/events.h"

enum { PATH_DEPTH = 16, PATH_STEPS = 20000 };

struct frame {
    uint32_t utid;
    int64_t from; /* the path is this thread's down to here */
};

/* The slice that the thread was in, else the function of the kernel in which it waited. */
static void put_place(struct app *a, struct picker_item *item, uint32_t state_row, uint32_t utid,
                      int64_t t)
{
    enum { NAME_MAX = 200 };
    const struct timeline *tl = app_timeline(a);
    const struct table *states = &tl->trace->tables.thread_state;
    uint32_t slice = timeline_innermost(tl, utid, t);
    struct str name =
        timeline_str(tl,
                     column_str(&states->columns[thread_state_col_blocked_function], state_row));
    if (slice != NULL_U32)
        name = slice_name(tl, slice);
    picker_set(&a->picker, item, 2, "%.*s", (int)(name.n < NAME_MAX ? name.n : NAME_MAX),
               name.n ? name.p : "");
}

static const char *const mode_words[] = {
    [MODE_RUNNING] = "runs",    [MODE_RUNNABLE] = "waits for a CPU", [MODE_SLEEPING] = "sleeps",
    [MODE_BLOCKED] = "blocked", [MODE_ENDED] = "has ended",          [MODE_OTHER] = "",
};
enum { MODE_COUNT = sizeof mode_words / sizeof *mode_words };

static void add_step(struct app *a, uint32_t state_row, uint32_t utid, int depth, int64_t from,
                     int64_t to)
{
    const struct timeline *tl = app_timeline(a);
    struct picker *p = &a->picker;
    struct picker_item *item = picker_add(p, state_row);
    char name[96], start[40], dur[40];
    timeline_thread_name(tl, utid, name, sizeof name);
    format_ms(start, sizeof start, time_minus(from, tl->start));
    format_ms(dur, sizeof dur, to - from);
    picker_set(p, item, 0, "%*s%s", 2 * (depth < 8 ? depth : 8), "", name);
    picker_set(p, item, 1, "%s", mode_words[timeline_mode(tl, state_row)]);
    put_place(a, item, state_row, utid, from + (to - from) / 2);
    picker_set(p, item, 3, "%s", start);
    picker_set(p, item, 4, "%s", dur);
    item->number[3] = from;
    item->number[4] = to - from;
}

/* What the parts of the path come to. */
static void write_title(struct app *a, bool whole)
{
    const struct picker *p = &a->picker;
    int64_t sums[MODE_COUNT] = {0};
    int n = snprintf(a->picker.title, sizeof a->picker.title,
                     "critical path, latest first%s:", whole ? "" : " (its end only)");
    for (size_t i = 0; i < p->items.count; i++)
        sums[timeline_mode(app_timeline(a), (uint32_t)p->items.items[i].value)] +=
            p->items.items[i].number[4];
    for (int mode = 0; mode < MODE_COUNT && n < (int)sizeof a->picker.title; mode++) {
        char dur[40];
        format_dur_short(dur, sizeof dur, sums[mode]);
        if (sums[mode] > 0)
            n += snprintf(a->picker.title + n, sizeof a->picker.title - (size_t)n, "  %s %s",
                          mode == MODE_OTHER ? "other" : mode_words[mode], dur);
    }
    if (n < (int)sizeof a->picker.title)
        snprintf(a->picker.title + n, sizeof a->picker.title - (size_t)n, "   < > sort");
}

/* Walks back from `end`; the list is filled from the latest to the earliest. False where it has no
 * room for all of it. */
static bool walk(struct app *a, uint32_t utid, int64_t start, int64_t end)
{
    const struct timeline *tl = app_timeline(a);
    const struct table *t = &tl->trace->tables.thread_state;
    struct frame stack[PATH_DEPTH] = {{utid, start}};
    int depth = 0;
    int64_t at = end;
    for (int steps = 0; depth >= 0; steps++) {
        if (steps == PATH_STEPS)
            return false;
        struct frame *f = &stack[depth];
        uint32_t p = at > f->from ? lane_at(&tl->states, f->utid, at - 1) : NO_POSITION;
        if (p == NO_POSITION) { /* this thread's part is over: on with the one that it woke */
            at = f->from < at ? f->from : at;
            depth--;
            continue;
        }
        uint32_t row = lanes_row(&tl->states, p);
        int64_t from = lanes_ts(&tl->states, p) > f->from ? lanes_ts(&tl->states, p) : f->from;
        enum thread_mode mode = timeline_mode(tl, row);
        uint32_t next =
            p + 1 < tl->states.starts[f->utid + 1] ? lanes_row(&tl->states, p + 1) : NULL_U32;
        uint32_t waker =
            next == NULL_U32 ? NULL_U32 : table_u32(t, thread_state_col_waker_utid)[next];
        bool waits = mode == MODE_SLEEPING || mode == MODE_BLOCKED || mode == MODE_OTHER;
        if (waits && waker < tl->trace->tables.thread.rows && timeline_tid(tl, waker) != 0 &&
            waker != f->utid && depth + 1 < PATH_DEPTH) {
            stack[++depth] = (struct frame){waker, from};
            continue;
        }
        add_step(a, row, f->utid, depth, from, at);
        at = from;
    }
    return true;
}

void app_critical_path(struct app *a)
{
    static const struct picker_column columns[] = {{"thread", 0, false},
                                                   {"what it does", 18, false},
                                                   {"in", 0, false},
                                                   {"start ms", 14, true},
                                                   {"dur ms", 12, true}};
    const struct timeline *tl = app_timeline(a);
    struct event_span span = event_times(tl, app_tree(a), a->view->cursor.event);
    uint32_t utid = NULL_U32;
    const struct event_kind *kind = a->view->cursor.event.kind;
    if (kind && kind->thread)
        utid = kind->thread(tl, a->view->cursor.event.row);
    if (utid == NULL_U32 || lane_size(&tl->states, utid) == 0) {
        app_say(a, "nothing is known about when a thread ran here");
        return;
    }
    picker_open(&a->picker, PICK_STATE, columns, 5, false);
    write_title(a, walk(a, utid, span.ts, span.end));
    picker_filter(&a->picker);
    a->overlay = OVERLAY_PICKER;
}
