#include "tui/view/links.h"

enum { SCAN_MAX = 4096 };

static bool is_call(const struct timeline *tl, uint32_t slice)
{
    return timeline_flows_out(tl, slice).count > 0;
}

static bool is_wait(const struct timeline *tl, uint32_t slice)
{
    struct str name = slice_name(tl, slice);
    return is_call(tl, slice) || str_starts(name, STR("monitor contention with owner ")) ||
           str_starts(name, STR("Lock contention on "));
}

static uint32_t longest_below(const struct timeline *tl, uint32_t slice,
                              bool (*counts)(const struct timeline *, uint32_t))
{
    uint32_t track = slice_u32(tl, slice, slice_col_track_id);
    uint32_t depth = slice_u32(tl, slice, slice_col_depth), best = NULL_U32, looked = 0;
    if (track >= tl->trace->tables.track.rows)
        return NULL_U32;
    int64_t begin = slice_ts(tl, slice), end = slice_end_ts(tl, slice), best_dur = -1;
    uint32_t depths = timeline_track_depths(tl, track);
    for (uint32_t d = depth + 1; d < depths && looked < SCAN_MAX; d++) {
        uint32_t lane = tl->slice_base[track] + d;
        uint32_t p = lane_lower_bound(&tl->slices, lane, begin);
        for (; p < tl->slices.starts[lane + 1] && looked < SCAN_MAX; p++, looked++) {
            if (lanes_ts(&tl->slices, p) >= end)
                break;
            int64_t dur = lanes_dur(&tl->slices, p);
            if (dur > best_dur && counts(tl, lanes_row(&tl->slices, p))) {
                best_dur = dur;
                best = lanes_row(&tl->slices, p);
            }
        }
    }
    return best;
}

uint32_t links_longest_call(const struct timeline *tl, uint32_t slice)
{
    return longest_below(tl, slice, is_call);
}

uint32_t links_longest_wait(const struct timeline *tl, uint32_t slice)
{
    return longest_below(tl, slice, is_wait);
}

/* What stands behind `label` in a text; empty where it is not there. */
static struct str behind(struct str text, struct str label)
{
    while (text.n > 0 && !str_starts(text, label))
        text = str_skip(text, 1);
    return text.n > 0 ? str_skip(text, label.n) : text;
}

/* The kernel keeps the first 15 bytes of a name; Android sets the last ones for packages. */
static bool same_thread_name(struct str kept, struct str full)
{
    return kept.n > 0 && (str_eq(kept, full) || (full.n > kept.n && kept.n == 15 &&
                                                 (str_starts(full, kept) || str_ends(full, kept))));
}

uint32_t links_lock_owner(const struct timeline *tl, uint32_t slice)
{
    const struct table *t = &tl->trace->tables.thread;
    struct str text = slice_name(tl, slice);
    struct str owner = behind(text, STR("contention with owner "));
    struct str number = behind(text, STR("(owner tid: "));
    uint32_t own = timeline_slice_thread(tl, slice), found = NULL_U32;
    int64_t tid = -1;
    if (own == NULL_U32 || (owner.n == 0 && number.n == 0))
        return NULL_U32;
    if (owner.n > 0) {
        size_t open = str_find(owner, '(');
        number = open < owner.n ? str_skip(owner, open + 1) : (struct str){"", 0};
        owner.n = open > 0 && owner.p[open - 1] == ' ' ? open - 1 : open;
    }
    str_to_i64(str_from_to(number, 0, str_find(number, ')')), &tid);
    for (uint32_t i = 0; i < t->rows; i++) {
        if (timeline_upid(tl, i) != timeline_upid(tl, own) || i == own)
            continue;
        struct str name = timeline_str(tl, column_str(&t->columns[thread_col_name], i));
        if (timeline_tid(tl, i) == tid && (owner.n == 0 || same_thread_name(name, owner)))
            return i;
        if (owner.n > 0 && same_thread_name(name, owner))
            found = i; /* the number may be the runtime's own, not the kernel's */
    }
    return found;
}

struct link_search {
    const struct timeline *tl;
    const struct track_tree *tree;
    uint32_t own; /* node of the event that links are looked for */
    struct link *out;
    int n;
};

bool link_is_in_place(const struct track_tree *tree, const struct link *link)
{
    const struct track_node *n = &tree->nodes.items[link->node];
    return n->kind == NODE_DEBUG && n->pinned && link->level == 0;
}

/* False where it goes to a node that is there already, or cannot be shown. */
static bool add_link(struct link_search *f, struct link link)
{
    link.node = track_tree_node(f->tree, f->tl, link.to);
    if (f->n >= LINKS_MAX || link.node == f->own || link.node == NO_NODE)
        return false;
    for (int i = 0; i < f->n && !link_is_in_place(f->tree, &link); i++)
        if (f->out[i].node == link.node)
            return false;
    f->out[f->n++] = link;
    return true;
}

/* Links by the trace's flows; those that leave are followed further. */
static void add_flows(struct link_search *f, uint32_t slice)
{
    const struct table *flow = &f->tl->trace->tables.flow;
    uint32_t slices = f->tl->trace->tables.slice.rows, follow = NULL_U32;
    struct event_ref own = event_of(&slice_events, slice);
    struct row_list in = timeline_flows_in(f->tl, slice),
                    leaving = timeline_flows_out(f->tl, slice);
    for (uint32_t i = 0; i < in.count && f->n < LINKS_MAX; i++) {
        uint32_t to = table_u32(flow, flow_col_slice_out)[in.rows[i]];
        if (to < slices)
            add_link(f, (struct link){own, event_of(&slice_events, to), .incoming = true});
    }
    for (uint32_t i = 0; i < leaving.count && f->n < LINKS_MAX; i++) {
        uint32_t to = table_u32(flow, flow_col_slice_in)[leaving.rows[i]];
        if (to < slices && add_link(f, (struct link){own, event_of(&slice_events, to), .level = 0}))
            follow = to;
    }
    for (uint32_t level = 1; follow != NULL_U32 && f->n < LINKS_MAX; level++) {
        uint32_t call = links_longest_call(f->tl, follow);
        if (call == NULL_U32)
            break;
        struct row_list calls = timeline_flows_out(f->tl, call);
        follow = table_u32(flow, flow_col_slice_in)[calls.rows[0]];
        struct link link = {event_of(&slice_events, call), event_of(&slice_events, follow),
                            .level = level};
        if (follow >= slices || !add_link(f, link))
            break;
    }
}

/* The slice of an interrupt that a CPU was in at `t`, the one that began last; NULL_U32 if none. */
static uint32_t interrupt_at(const struct timeline *tl, const struct track_tree *tree,
                             uint32_t ucpu, int64_t t)
{
    uint32_t node = tree->cpu_node[ucpu], found = NULL_U32;
    const struct table *tracks = &tl->trace->tables.track;
    if (node == NO_NODE)
        return NULL_U32;
    for (uint32_t c = tree->nodes.items[node].first_child; c != NO_NODE;
         c = tree->nodes.items[c].next) {
        const struct track_node *n = &tree->nodes.items[c];
        for (uint32_t i = 0; n->kind == NODE_TRACKS && i < n->count; i++) {
            uint32_t track = tree->tracks.items[n->first + i];
            struct str type = timeline_str(tl, column_str(&tracks->columns[track_col_type], track));
            if (!str_ends(type, STR("irq")))
                continue;
            uint32_t p = lane_at(&tl->slices, tl->slice_base[track], t);
            if (p != NO_POSITION &&
                (found == NULL_U32 || lanes_ts(&tl->slices, p) > slice_ts(tl, found)))
                found = lanes_row(&tl->slices, p);
        }
    }
    return found;
}

/* The only CPU on which a thread ran at `t`, and in an interrupt: the idle task runs on many. */
static uint32_t interrupt_during(const struct timeline *tl, const struct track_tree *tree,
                                 uint32_t utid, int64_t t)
{
    const uint32_t *runs = table_u32(&tl->trace->tables.sched_slice, sched_slice_col_utid);
    uint32_t found = NULL_U32;
    for (uint32_t cpu = 0; cpu < tl->sched.lane_count; cpu++) {
        uint32_t p = lane_size(&tl->sched, cpu) ? lane_at(&tl->sched, cpu, t) : NO_POSITION;
        bool here = p != NO_POSITION && runs[lanes_row(&tl->sched, p)] == utid;
        uint32_t slice = here ? interrupt_at(tl, tree, cpu, t) : NULL_U32;
        if (slice != NULL_U32 && found != NULL_U32)
            return NULL_U32;
        found = slice != NULL_U32 ? slice : found;
    }
    return found;
}

/* The state with a waker that ends a wait: the state itself, or the one behind it. */
static uint32_t woken_state(const struct timeline *tl, uint32_t state)
{
    const struct table *t = &tl->trace->tables.thread_state;
    const uint32_t *wakers = table_u32(t, thread_state_col_waker_utid);
    uint32_t utid = table_u32(t, thread_state_col_utid)[state];
    enum thread_mode mode = timeline_mode(tl, state);
    if (wakers[state] != NULL_U32)
        return state;
    if (mode != MODE_SLEEPING && mode != MODE_BLOCKED && mode != MODE_OTHER)
        return NULL_U32;
    uint32_t p = lane_find_row(&tl->states, utid, state);
    if (p == NO_POSITION || p + 1 >= tl->states.starts[utid + 1])
        return NULL_U32;
    uint32_t next = lanes_row(&tl->states, p + 1);
    return wakers[next] != NULL_U32 ? next : NULL_U32;
}

/* Where an interrupt ended the wait, its slice is the other end if the trace has it, else who ran.
 */
static void add_waker(struct link_search *f, uint32_t state)
{
    const struct timeline *tl = f->tl;
    const struct table *t = &tl->trace->tables.thread_state;
    uint32_t woken = woken_state(tl, state);
    uint32_t waker = woken == NULL_U32 ? woken : table_u32(t, thread_state_col_waker_utid)[woken];
    if (waker >= tl->trace->tables.thread.rows)
        return;
    bool interrupt = table_small(t, thread_state_col_irq_context, woken) == 1;
    bool idle_task = timeline_tid(tl, waker) == 0;
    int64_t ts = table_i64(t, thread_state_col_ts)[woken];
    struct link link = {.from = event_of(&state_events, woken),
                        .kind = interrupt ? LINK_INTERRUPT : LINK_WAKER,
                        .incoming = true};
    uint32_t slice = interrupt || idle_task ? interrupt_during(tl, f->tree, waker, ts) : NULL_U32;
    uint32_t p = lane_at(&tl->states, waker, ts);
    if (slice != NULL_U32) {
        link.kind = LINK_INTERRUPT;
        link.to = event_of(&slice_events, slice);
    } else if (p != NO_POSITION && !idle_task) {
        link.to = event_of(&state_events, lanes_row(&tl->states, p));
    } else {
        return;
    }
    add_link(f, link);
}

int links_find(const struct timeline *tl, const struct track_tree *tree, struct event_ref event,
               struct link out[LINKS_MAX])
{
    struct link_search f = {tl, tree, track_tree_node(tree, tl, event), out, 0};
    for (int enters = 1; enters >= 0 && event.kind; enters--) {
        struct arrow_range range = arrows_of(&tree->arrows, event, enters);
        for (size_t i = 0; i < range.count && f.n < LINKS_MAX; i++) {
            const struct arrow *arrow = arrows_at(&tree->arrows, enters, range.first + i);
            add_link(&f,
                     (struct link){event, enters ? arrow->from : arrow->to, .incoming = enters});
        }
    }
    if (event.kind == &slice_events)
        add_flows(&f, event.row);
    if (event.kind == &state_events)
        add_waker(&f, event.row);
    return f.n;
}
