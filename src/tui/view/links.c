#include "tui/view/links.h"

enum { SCAN_MAX = 4096 };

uint32_t links_longest_call(const struct timeline *tl, uint32_t slice)
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
            if (dur > best_dur && timeline_flows_out(tl, tl->slices.rows[p]).count > 0) {
                best_dur = dur;
                best = tl->slices.rows[p];
            }
        }
    }
    return best;
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

int links_find(const struct timeline *tl, const struct tree *tree, uint32_t slice,
               struct link out[LINKS_MAX])
{
    const struct table *flow = &tl->trace->tables.flow;
    uint32_t own = tree_slice_node(tree, tl, slice), slices = tl->trace->tables.slice.rows;
    int n = 0;
    struct flow_list in = timeline_flows_in(tl, slice), leaving = timeline_flows_out(tl, slice);
    for (uint32_t i = 0; i < in.count && n < LINKS_MAX; i++) {
        uint32_t to = table_u32(flow, flow_col_slice_out)[in.rows[i]];
        if (to < slices && !is_known(out, n, own, tree_slice_node(tree, tl, to)))
            out[n++] = (struct link){slice, to, tree_slice_node(tree, tl, to), 0, true};
    }
    uint32_t follow = NULL_U32;
    for (uint32_t i = 0; i < leaving.count && n < LINKS_MAX; i++) {
        uint32_t to = table_u32(flow, flow_col_slice_in)[leaving.rows[i]];
        if (to < slices && !is_known(out, n, own, tree_slice_node(tree, tl, to))) {
            out[n++] = (struct link){slice, to, tree_slice_node(tree, tl, to), 0, false};
            follow = to;
        }
    }
    for (uint32_t level = 1; follow != NULL_U32 && n < LINKS_MAX; level++) {
        uint32_t call = links_longest_call(tl, follow);
        if (call == NULL_U32)
            break;
        struct flow_list f = timeline_flows_out(tl, call);
        uint32_t to = table_u32(flow, flow_col_slice_in)[f.rows[0]];
        if (to >= slices || is_known(out, n, own, tree_slice_node(tree, tl, to)))
            break;
        out[n++] = (struct link){call, to, tree_slice_node(tree, tl, to), level, false};
        follow = to;
    }
    return n;
}
