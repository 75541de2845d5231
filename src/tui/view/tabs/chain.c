/* The tab with the calls of a slice into other threads. */
#include <stdio.h>

#include "base/utf8.h"
#include "text/time.h"
#include "tui/view/details.h"
#include "text/time_format.h"

enum { CHAIN_DEPTH = 4, CHAIN_LINES = 60, CHAIN_SCAN = 4096, CHAIN_CALLS = 12 };
enum { NUMBERS = 20, LABEL_MIN = 34, LABEL_MAX = 100, NAME_MAX = 256 };

/* Where the chain is written, and how many cells its labels have. */
struct chain {
    struct details *details;
    struct detail_list *list;
    const struct timeline *tl;
    int label;
};

/* One slice whose calls are listed; a stack of these walks the chain. */
struct level {
    uint32_t calls[CHAIN_CALLS]; /* slices below that a flow leaves, longest first */
    int count, next;
    uint32_t left_out; /* shorter calls */
    bool cut;          /* there may be more of these */
    uint32_t heading;  /* the last intermediate slice named */
    uint32_t top;      /* the slice whose calls these are */
};

static int64_t slice_dur(const struct timeline *tl, uint32_t slice)
{
    return time_minus(slice_end_ts(tl, slice), slice_ts(tl, slice));
}

static void insert_call(const struct timeline *tl, struct level *l, uint32_t slice)
{
    int i = l->count < CHAIN_CALLS ? l->count++ : CHAIN_CALLS;
    l->left_out += i == CHAIN_CALLS;
    if (i == CHAIN_CALLS && slice_dur(tl, l->calls[--i]) >= slice_dur(tl, slice))
        return;
    for (; i > 0 && slice_dur(tl, l->calls[i - 1]) < slice_dur(tl, slice); i--)
        l->calls[i] = l->calls[i - 1];
    l->calls[i] = slice;
}

/* The longest calls of a slice, then in order of time; a call is one even if it is the slice. */
static struct level find_calls(const struct timeline *tl, uint32_t top)
{
    struct level l = {.heading = NULL_U32, .top = top};
    uint32_t track = slice_u32(tl, top, slice_col_track_id), looked = 0;
    for (uint32_t d = slice_u32(tl, top, slice_col_depth) + 1;
         d < timeline_track_depths(tl, track) && looked < CHAIN_SCAN; d++) {
        uint32_t lane = tl->slice_base[track] + d;
        uint32_t p = lane_lower_bound(&tl->slices, lane, slice_ts(tl, top));
        for (; p < tl->slices.starts[lane + 1] && looked++ < CHAIN_SCAN; p++) {
            if (lanes_ts(&tl->slices, p) >= slice_end_ts(tl, top))
                break;
            if (timeline_flows_out(tl, lanes_row(&tl->slices, p)).count > 0)
                insert_call(tl, &l, lanes_row(&tl->slices, p));
        }
    }
    l.cut = looked >= CHAIN_SCAN;
    for (int i = 1; i < l.count; i++)
        for (int k = i; k > 0 && slice_ts(tl, l.calls[k]) < slice_ts(tl, l.calls[k - 1]); k--) {
            uint32_t swap = l.calls[k];
            l.calls[k] = l.calls[k - 1];
            l.calls[k - 1] = swap;
        }
    return l;
}

/* The child of `top` through which a call goes; the call itself where there is none between. */
static uint32_t step_below(const struct timeline *tl, uint32_t call, uint32_t top)
{
    uint32_t child = call;
    for (int i = 0; i < 1000; i++) {
        uint32_t parent = slice_parent(tl, child);
        if (parent == top || parent >= tl->trace->tables.slice.rows)
            break;
        child = parent;
    }
    return child;
}

/* A slice that never ended lasts that long at least: "812.5+". */
static void print_dur(const struct timeline *tl, uint32_t slice, char *out, size_t size)
{
    char ms[24];
    format_ms(ms, sizeof ms, slice_dur(tl, slice));
    snprintf(out, size, "%s%s", ms, slice_is_open(tl, slice) ? "+" : "");
}

static void put_line(const struct chain *c, int indent, uint32_t slice, struct str label,
                     uint32_t served)
{
    char call[32], reply[32] = "", cut[4 * NAME_MAX];
    bool moments =
        served != NULL_U32 && slice_dur(c->tl, slice) == 0 && slice_dur(c->tl, served) == 0;
    if (moments) /* sent, and not waited for */
        snprintf(call, sizeof call, "async");
    else
        print_dur(c->tl, slice, call, sizeof call);
    if (served != NULL_U32 && !moments)
        print_dur(c->tl, served, reply, sizeof reply);
    details_line(c->details, c->list, event_of(&slice_events, served == NULL_U32 ? slice : served));
    int pad = 2 * indent < 20 ? 2 * indent : 20, room = c->label - pad;
    text_cut_middle(label, room, cut, sizeof cut);
    details_put(c->details, c->list, ROLE_VALUE, "%*s", pad, "");
    details_put(c->details, c->list, served == NULL_U32 ? ROLE_VALUE : ROLE_LINK, "%s", cut);
    details_put(c->details, c->list, ROLE_VALUE, "%*s", room - text_width(str_from(cut)), "");
    details_put(c->details, c->list, ROLE_VALUE, " %9s", call);
    if (served != NULL_U32)
        details_put(c->details, c->list, ROLE_VALUE, " %8s", reply);
}

static uint32_t served_by(const struct timeline *tl, uint32_t call)
{
    struct row_list f = timeline_flows_out(tl, call);
    uint32_t to =
        f.count ? table_u32(&tl->trace->tables.flow, flow_col_slice_in)[f.rows[0]] : NULL_U32;
    return to < tl->trace->tables.slice.rows ? to : NULL_U32;
}

static void put_call(const struct chain *c, int indent, uint32_t call, const char *prefix)
{
    uint32_t served = served_by(c->tl, call);
    char thread[NAME_MAX] = "?", label[2 * NAME_MAX + 4];
    if (served != NULL_U32)
        timeline_track_name(c->tl, slice_u32(c->tl, served, slice_col_track_id), thread,
                            sizeof thread);
    snprintf(label, sizeof label, "%s> %s", prefix, thread);
    put_line(c, indent, call, str_from(label), served);
}

/* Not all calls of a slice are listed. */
static void put_left_out(const struct chain *c, const struct level *l, int indent)
{
    if (l->left_out == 0 && !l->cut)
        return;
    int pad = 2 * indent < 20 ? 2 * indent : 20;
    details_line(c->details, c->list, NO_EVENT);
    details_put(c->details, c->list, ROLE_DIM, "%*sand %u%s shorter", pad, "", l->left_out,
                l->cut ? "+" : "");
}

/* The calls of `top` and what they led to. */
static void put_levels(const struct chain *c, struct level top)
{
    struct level stack[CHAIN_DEPTH] = {top};
    int depth = 1;
    while (depth > 0 && c->list->v.count < CHAIN_LINES) {
        struct level *l = &stack[depth - 1];
        if (l->next == l->count) {
            put_left_out(c, l, 2 * depth);
            depth--;
            continue;
        }
        uint32_t call = l->calls[l->next++], via = step_below(c->tl, call, l->top);
        if (via != call && via != l->heading)
            put_line(c, 2 * depth - 1, via, slice_name(c->tl, via), NULL_U32);
        l->heading = via;
        put_call(c, 2 * depth, call, "");
        uint32_t served = served_by(c->tl, call);
        if (served != NULL_U32 && depth < CHAIN_DEPTH)
            stack[depth++] = find_calls(c->tl, served);
    }
}

void details_chain(struct details *d, struct detail_list *list, const struct timeline *tl,
                   uint32_t slice, int width)
{
    int label = width - NUMBERS;
    const struct chain c = {d, list, tl,
                            label < LABEL_MIN   ? LABEL_MIN
                            : label > LABEL_MAX ? LABEL_MAX
                                                : label};
    char own[NAME_MAX] = "", prefix[NAME_MAX + 2];
    uint32_t utid = timeline_slice_thread(tl, slice), start = served_by(tl, slice);
    if (utid != NULL_U32)
        timeline_thread_name(tl, utid, own, sizeof own);
    struct level top = find_calls(tl, start == NULL_U32 ? slice : start);
    uint32_t first = start != NULL_U32 ? slice : top.count > 0 ? top.calls[0] : NULL_U32;
    bool calls = first == NULL_U32 || str_starts(slice_name(tl, first), STR("binder transaction"));
    details_line(d, list, NO_EVENT);
    details_put(d, list, ROLE_KEY, "%-*s %9s %8s", c.label, "chain", calls ? "call ms" : "ms",
                calls ? "served" : "there");
    if (start != NULL_U32) {
        snprintf(prefix, sizeof prefix, "%s ", own);
        put_call(&c, 0, slice, prefix);
    }
    put_levels(&c, top);
    if (list->v.count == 1) {
        details_line(d, list, NO_EVENT);
        details_put(d, list, ROLE_DIM, "no calls into other threads below this");
    }
}

static void add_chain(struct details *d, const struct details_input *in)
{
    if (in->cursor.event.kind == &slice_events)
        details_chain(d, &d->left, in->tl, in->cursor.event.row, in->width - 2);
}

const struct details_tab chain_tab = {.title = "Chain", .add = add_chain};
