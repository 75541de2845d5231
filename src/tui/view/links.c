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
            if (dur > best_dur && counts(tl, tl->slices.rows[p])) {
                best_dur = dur;
                best = tl->slices.rows[p];
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

static bool is_known(const struct link *links, int n, uint32_t own, uint32_t node)
{
    if (node == own || node == NO_NODE)
        return true;
    for (int i = 0; i < n; i++)
        if (links[i].node == node)
            return true;
    return false;
}

int links_find(const struct timeline *tl, const struct track_tree *tree, uint32_t slice,
               struct link out[LINKS_MAX])
{
    const struct table *flow = &tl->trace->tables.flow;
    uint32_t own = track_tree_slice_node(tree, tl, slice), slices = tl->trace->tables.slice.rows;
    int n = 0;
    struct row_list in = timeline_flows_in(tl, slice), leaving = timeline_flows_out(tl, slice);
    for (uint32_t i = 0; i < in.count && n < LINKS_MAX; i++) {
        uint32_t to = table_u32(flow, flow_col_slice_out)[in.rows[i]];
        if (to < slices && !is_known(out, n, own, track_tree_slice_node(tree, tl, to)))
            out[n++] = (struct link){slice, to, track_tree_slice_node(tree, tl, to), 0, true};
    }
    uint32_t follow = NULL_U32;
    for (uint32_t i = 0; i < leaving.count && n < LINKS_MAX; i++) {
        uint32_t to = table_u32(flow, flow_col_slice_in)[leaving.rows[i]];
        if (to < slices && !is_known(out, n, own, track_tree_slice_node(tree, tl, to))) {
            out[n++] = (struct link){slice, to, track_tree_slice_node(tree, tl, to), 0, false};
            follow = to;
        }
    }
    for (uint32_t level = 1; follow != NULL_U32 && n < LINKS_MAX; level++) {
        uint32_t call = links_longest_call(tl, follow);
        if (call == NULL_U32)
            break;
        struct row_list f = timeline_flows_out(tl, call);
        uint32_t to = table_u32(flow, flow_col_slice_in)[f.rows[0]];
        if (to >= slices || is_known(out, n, own, track_tree_slice_node(tree, tl, to)))
            break;
        out[n++] = (struct link){call, to, track_tree_slice_node(tree, tl, to), level, false};
        follow = to;
    }
    return n;
}
