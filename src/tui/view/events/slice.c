/* Slices: rows of the table slice, a lane for each depth of a track. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "tui/view/details_parts.h"
#include "base/bisect.h"
#include "core/loss.h"
#include "core/trace/settled_args.h"
#include "core/stats.h"
#include "core/trace/trace_window.h"
#include "text/time.h"
#include "tui/view/draw_events.h"
#include "text/time_format.h"

static uint32_t slice_count(const struct timeline *tl)
{
    return tl->trace->tables.slice.rows;
}

static const struct lanes *slice_lanes(const struct timeline *tl, const struct track_tree *tree,
                                       uint32_t debug)
{
    (void)tree, (void)debug;
    return &tl->slices;
}

static uint32_t slice_lane(const struct timeline *tl, const struct track_tree *tree,
                           struct event_ref e)
{
    (void)tree;
    uint32_t track = slice_u32(tl, e.row, slice_col_track_id);
    if (track >= tl->trace->tables.track.rows)
        return 0;
    return lanes_lane(&tl->slices, tl->slice_base[track] + slice_u32(tl, e.row, slice_col_depth));
}

static void print_slice_name(const struct timeline *tl, const struct track_tree *tree,
                             struct event_ref e, char *out, size_t size)
{
    struct str name = slice_name(tl, e.row);
    (void)tree;
    str_copy(name, out, size);
}

static uint32_t args_of(const struct timeline *tl, uint32_t row)
{
    const struct trace *t = tl->trace;
    return settled_args_of(t, &t->tables.slice.columns[slice_col_arg_set_id], row);
}

static uint32_t slice_arg_set(const struct timeline *tl, const struct track_tree *tree,
                              struct event_ref e)
{
    (void)tree;
    return args_of(tl, e.row);
}

static struct row_id slice_place(const struct timeline *tl, const struct track_tree *tree,
                                 struct event_ref e)
{
    struct row_id id = {.node = track_tree_slice_node(tree, tl, e.row),
                        .track = slice_u32(tl, e.row, slice_col_track_id),
                        .depth = slice_u32(tl, e.row, slice_col_depth)};
    if (id.node == NO_NODE)
        return id;
    const struct track_node *n = &tree->nodes.items[id.node];
    bool on_head = n->kind == NODE_TRACKS && n->count == 1 && id.depth == 0;
    id.kind = on_head ? ROW_HEAD : ROW_DEPTH;
    return id;
}

static bool is_matched(const struct scene *s, string_id name)
{
    size_t from = BISECT(middle, 0, s->matched_count, s->matched[middle] < name);
    return from < s->matched_count && s->matched[from] == name;
}

static bool is_frame(const struct timeline *tl, uint32_t row)
{
    const struct table *t = &tl->trace->tables.track;
    uint32_t track = slice_u32(tl, row, slice_col_track_id);
    return tl->type_actual_frames != NULL_STRING && track < t->rows &&
           column_str(&t->columns[track_col_type], track) == tl->type_actual_frames;
}

/* A text among the slice's args, empty where there is none. */
static struct str text_arg(const struct timeline *tl, uint32_t row, string_id key)
{
    struct arg_list list = {0};
    struct str text = STR("");
    args_read(&tl->trace->args, args_of(tl, row), &list);
    for (size_t i = 0; i < list.v.count; i++)
        if (list.v.items[i].key == key && list.v.items[i].type == ARG_STRING)
            text = timeline_str(tl, list.v.items[i].s);
    arg_list_release(&list);
    return text;
}

/* A frame is coloured by whose jank it was. */
static uint16_t frame_role(const struct timeline *tl, uint32_t row)
{
    static const struct {
        const char *tag;
        uint16_t role;
    } tags[] = {
        {"Self Jank", ROLE_FRAME_JANK},
        {"Other Jank", ROLE_FRAME_OTHER},
        {"Buffer Stuffing", ROLE_FRAME_SMOOTH},
        {"SurfaceFlinger Stuffing", ROLE_FRAME_SMOOTH},
        {"Non-perceivable Jank", ROLE_FRAME_SMOOTH},
        {"Dropped Frame", ROLE_FRAME_LOST},
    };
    struct str tag = text_arg(tl, row, tl->arg_jank_tag);
    for (size_t i = 0; i < sizeof tags / sizeof *tags; i++)
        if (str_eq(tag, str_from(tags[i].tag)))
            return tags[i].role;
    return ROLE_FRAME_GOOD;
}

static bool paint_slice(const struct scene *s, const struct event_source *source, uint32_t row,
                        struct event_paint *out)
{
    (void)source;
    out->label = slice_name(s->tl, row);
    out->role = is_frame(s->tl, row) ? frame_role(s->tl, row) : slice_role(out->label);
    out->label_role = is_matched(s, slice_u32(s->tl, row, slice_col_name)) ? ROLE_MATCH : out->role;
    return true;
}

/* How long a thread was in each state within a time, the longest first. */
struct state_share {
    string_id state;
    int64_t dur;
};

enum { SHARES_MAX = 8, SHARE_SCAN = 20000 };

struct state_shares {
    struct state_share items[SHARES_MAX];
    int count;
    int64_t waited; /* runnable */
    uint32_t woken; /* the row that says who ended its longest sleep, NULL_U32 */
};

static struct state_shares share_states(const struct timeline *tl, uint32_t utid, int64_t t0,
                                        int64_t t1)
{
    const struct table *t = &tl->trace->tables.thread_state;
    struct state_shares s = {.woken = NULL_U32};
    int64_t longest = -1, slept = 0;
    uint32_t p = lane_first_in(&tl->states, utid, t0), end = tl->states.starts[utid + 1];
    for (uint32_t looked = 0; p < end && lanes_ts(&tl->states, p) < t1; p++, looked++) {
        uint32_t row = lanes_row(&tl->states, p),
                 waker = table_u32(t, thread_state_col_waker_utid)[row];
        int64_t dur = lanes_dur_in(&tl->states, p, t0, t1);
        enum thread_mode mode = timeline_mode(tl, row);
        string_id state = column_str(&t->columns[thread_state_col_state], row);
        int i = 0;
        while (i < s.count && s.items[i].state != state)
            i++;
        if (i < SHARES_MAX) {
            s.items[i].state = state;
            s.items[i].dur = (i < s.count ? s.items[i].dur : 0) + dur;
            s.count += i == s.count;
        }
        s.waited += mode == MODE_RUNNABLE ? dur : 0;
        if (waker < tl->trace->tables.thread.rows && slept > longest) {
            longest = slept;
            s.woken = row;
        }
        slept = mode == MODE_SLEEPING || mode == MODE_BLOCKED ? dur : 0;
        if (looked == SHARE_SCAN)
            break;
    }
    for (int i = 1; i < s.count; i++)
        for (int k = i; k > 0 && s.items[k].dur > s.items[k - 1].dur; k--) {
            struct state_share swap = s.items[k];
            s.items[k] = s.items[k - 1];
            s.items[k - 1] = swap;
        }
    return s;
}

static void put_shares(struct details *d, const struct details_input *in, const char *label,
                       uint32_t utid, int64_t t0, int64_t t1)
{
    const struct timeline *tl = in->tl;
    struct state_shares s = share_states(tl, utid, t0, t1);
    if (s.count == 0 || t1 <= t0)
        return;
    details_line(d, &d->left, NO_EVENT);
    details_put(d, &d->left, ROLE_KEY, "%-7s ", label);
    for (int i = 0; i < s.count && i < 4; i++) {
        struct str name = timeline_str(tl, s.items[i].state);
        char ms[32];
        format_ms(ms, sizeof ms, s.items[i].dur);
        details_wrap(d, &d->left, details_left_width(in), (int)(name.n + strlen(ms)) + 6);
        details_put(d, &d->left, ROLE_VALUE, "%.*s %s", (int)(name.n < 20 ? name.n : 20), name.p,
                    ms);
        details_put(d, &d->left, ROLE_DIM, " %d%%   ",
                    percent_of(s.items[i].dur, (wide_int)t1 - t0));
    }
    int waited = percent_of(s.waited, (wide_int)t1 - t0);
    details_wrap(d, &d->left, details_left_width(in), waited >= 20 ? 18 : 0);
    if (waited >= 20)
        details_put(d, &d->left, ROLE_ERROR, "<- %d%% CPU wait   ", waited);
    if (s.woken == NULL_U32)
        return;
    details_wrap(d, &d->left, details_left_width(in), 34);
    details_put(d, &d->left, ROLE_KEY, "woken by ");
    details_put_waker(d, &d->left, tl, s.woken);
}

/* The first args, as many on a line as fit: the whole list is a tab of its own. */
static void put_first_args(struct details *d, const struct details_input *in)
{
    struct arg_list list = {0};
    args_read(&in->tl->trace->args, args_of(in->tl, in->cursor.event.row), &list);
    if (list.v.count > 0)
        details_line(d, &d->left, NO_EVENT);
    for (size_t i = 0; i < list.v.count && i < 16; i++) {
        struct str key = timeline_str(in->tl, list.v.items[i].key);
        details_wrap(d, &d->left, details_left_width(in), (int)(key.n < 64 ? key.n : 64) + 8);
        details_put(d, &d->left, ROLE_KEY, "%.*s ", (int)(key.n < 64 ? key.n : 64),
                    key.n ? key.p : "");
        details_put_arg(d, in->tl, &list.v.items[i]);
        details_put(d, &d->left, ROLE_DEFAULT, "  ");
    }
    arg_list_release(&list);
}

/* The other ends of the slice's flows, each a jump. */
static void put_flows(struct details *d, const struct timeline *tl, struct row_list flows,
                      uint32_t column, const char *label)
{
    const struct table *t = &tl->trace->tables.flow;
    for (uint32_t i = 0; i < flows.count && i < 16; i++) {
        uint32_t other = table_u32(t, column)[flows.rows[i]];
        if (other >= tl->trace->tables.slice.rows)
            continue;
        char dur[32];
        format_dur_short(dur, sizeof dur, time_minus(slice_end_ts(tl, other), slice_ts(tl, other)));
        details_line(d, &d->left, event_of(&slice_events, other));
        details_put(d, &d->left, ROLE_KEY, "%s ", label);
        details_put_slice(d, &d->left, ROLE_LINK, tl, other);
        details_put(d, &d->left, ROLE_DIM, " %s on ", dur);
        details_put_slice_track(d, &d->left, tl, other);
    }
}

/* The slices right below one, by name. */
struct child {
    string_id name;
    uint32_t count, longest;
    int64_t sum, longest_dur;
};

struct children {
    struct child items[64]; /* names that are more are left out */
    int count;
    int64_t below; /* ns in all of them */
    bool too_many;
};

static void add_child(struct children *c, string_id name, uint32_t row, int64_t dur)
{
    int i = 0;
    c->below += dur;
    while (i < c->count && c->items[i].name != name)
        i++;
    if (i == sizeof c->items / sizeof *c->items)
        return;
    if (i == c->count)
        c->items[c->count++] = (struct child){.name = name, .longest_dur = -1};
    c->items[i].count++;
    c->items[i].sum += dur;
    if (dur > c->items[i].longest_dur) {
        c->items[i].longest_dur = dur;
        c->items[i].longest = row;
    }
}

static int compare_children(const void *a, const void *b)
{
    const struct child *x = a, *y = b;
    if (x->sum != y->sum)
        return x->sum > y->sum ? -1 : 1;
    return x->name < y->name ? -1 : x->name > y->name;
}

static struct children find_children(const struct timeline *tl, uint32_t slice)
{
    enum { CHILDREN_SCAN = 20000 };
    struct children c = {.count = 0};
    uint32_t track = slice_u32(tl, slice, slice_col_track_id), looked = 0;
    uint32_t depth = slice_u32(tl, slice, slice_col_depth) + 1;
    if (track >= tl->trace->tables.track.rows || depth >= timeline_track_depths(tl, track))
        return c;
    uint32_t lane = tl->slice_base[track] + depth;
    uint32_t p = lane_lower_bound(&tl->slices, lane, slice_ts(tl, slice));
    for (; p < tl->slices.starts[lane + 1] && !c.too_many; p++) {
        uint32_t row = lanes_row(&tl->slices, p);
        if (lanes_ts(&tl->slices, p) >= slice_end_ts(tl, slice))
            break;
        if (slice_parent(tl, row) == slice)
            add_child(&c, slice_u32(tl, row, slice_col_name), row, lanes_dur(&tl->slices, p));
        c.too_many = looked++ == CHILDREN_SCAN; /* tab Area sums up any number */
    }
    qsort(c.items, (size_t)c.count, sizeof *c.items, compare_children);
    return c;
}

/* What the slice spent by itself, and in those right below it, the most first. */
static void put_children(struct details *d, const struct timeline *tl, uint32_t slice)
{
    enum { SHOWN = 8 };
    struct children c = find_children(tl, slice);
    int64_t dur = time_minus(slice_end_ts(tl, slice), slice_ts(tl, slice));
    char text[32];
    if (c.count == 0 || c.too_many)
        return;
    format_dur_short(text, sizeof text, dur - c.below);
    details_line(d, &d->left, NO_EVENT);
    details_put(d, &d->left, ROLE_KEY, "by itself ");
    details_put(d, &d->left, ROLE_VALUE, "%s %d%%", text, percent_of(dur - c.below, dur));
    for (int i = 0; i < c.count && i < SHOWN; i++) {
        const struct child *child = &c.items[i];
        format_dur_short(text, sizeof text, child->sum);
        details_line(d, &d->left, event_of(&slice_events, child->longest));
        details_put(d, &d->left, ROLE_KEY, "below  ");
        details_put_name(d, &d->left, ROLE_LINK, timeline_str(tl, child->name));
        details_put(d, &d->left, ROLE_VALUE, "  %s %d%%", text, percent_of(child->sum, dur));
        if (child->count > 1)
            details_put(d, &d->left, ROLE_DIM, "  %u x", child->count);
    }
}

static uint32_t slice_process(const struct timeline *tl, uint32_t slice)
{
    const struct table *tracks = &tl->trace->tables.track;
    uint32_t track = slice_u32(tl, slice, slice_col_track_id);
    return track < tracks->rows ? table_u32(tracks, track_col_upid)[track] : NULL_U32;
}

/* Whose jank a frame was, in its colour, and of which kind. */
static void put_jank(struct details *d, const struct timeline *tl, uint32_t slice)
{
    string_id type = string_pool_lookup(&tl->trace->strings, STR("Jank type"));
    struct str tag = text_arg(tl, slice, tl->arg_jank_tag), why = text_arg(tl, slice, type);
    if (tag.n == 0)
        return;
    details_line(d, &d->left, NO_EVENT);
    details_put_name(d, &d->left, frame_role(tl, slice), tag);
    if (why.n > 0 && !str_eq(why, STR("None")) && !str_eq(why, tag)) {
        details_put(d, &d->left, ROLE_DEFAULT, "  ");
        details_put_name(d, &d->left, ROLE_VALUE, why);
    }
}

/* What loss makes of its length. */
static void put_doubt(struct details *d, const struct timeline *tl, uint32_t slice)
{
    uint32_t parent = slice_parent(tl, slice);
    struct loss_total lost = loss_total(tl->trace);
    if (slice_is_open(tl, slice)) {
        details_put(d, &d->left, ROLE_ERROR, "  %s", trace_open_words(tl->trace));
        if (!trace_goes_on(tl->trace) && lost.missing)
            details_put(d, &d->left, ROLE_ERROR,
                        ": its end may be among the events that are missing");
        return;
    }
    int64_t cut = stats_total(tl->trace, STAT_misplaced_end_event);
    if (cut == 0 || parent == NULL_U32 || slice_end_ts(tl, slice) != slice_end_ts(tl, parent))
        return;
    details_line(d, &d->left, NO_EVENT);
    details_put(d, &d->left, ROLE_ERROR,
                "may have been cut off where its caller ended: so were %" PRId64 " in all", cut);
}

static void add_slice_details(struct details *d, const struct details_input *in)
{
    const struct timeline *tl = in->tl;
    uint32_t slice = in->cursor.event.row;
    int64_t ts = slice_ts(tl, slice), end = slice_end_ts(tl, slice);
    struct row_list same = timeline_same_name(tl, slice_u32(tl, slice, slice_col_name));
    uint32_t utid = timeline_slice_thread(tl, slice);
    char rank[32];
    details_line(d, &d->left, NO_EVENT);
    details_put_name(d, &d->left, ROLE_STRONG, slice_name(tl, slice));
    details_put(d, &d->left, ROLE_DIM, "  #%u", slice);
    format_ordinal(rank, sizeof rank, details_rank(tl, same, slice));
    if (same.count > 1 && end > ts)
        details_put(d, &d->left, ROLE_DEFAULT, "   %s longest of %u", rank, same.count);
    else if (same.count > 1)
        details_put(d, &d->left, ROLE_DEFAULT, "   one of %u", same.count);
    if (timeline_name_is_one_of_many(tl, slice_u32(tl, slice, slice_col_name)))
        details_put(d, &d->left, ROLE_DEFAULT, ", any number");
    details_put(d, &d->left, ROLE_DIM, "   depth %u", slice_u32(tl, slice, slice_col_depth));
    details_put_times(d, tl, ts, end);
    put_doubt(d, tl, slice);
    if (is_frame(tl, slice))
        put_jank(d, tl, slice);
    if (utid != NULL_U32) {
        details_line(d, &d->left, NO_EVENT);
        details_put(d, &d->left, ROLE_KEY, "thread ");
        details_put_thread(d, &d->left, tl, utid);
        details_put_process(d, &d->left, tl, timeline_upid(tl, utid), details_left_width(in));
    } else {
        const struct track_node *n = &in->tree->nodes.items[in->row->key.node];
        details_line(d, &d->left, NO_EVENT);
        details_put(d, &d->left, ROLE_KEY, "track ");
        details_put(d, &d->left, ROLE_VALUE, "%s", n->label);
        details_put_process(d, &d->left, tl, slice_process(tl, slice), details_left_width(in));
    }
    put_flows(d, tl, timeline_flows_out(tl, slice), flow_col_slice_in, "]  to");
    put_flows(d, tl, timeline_flows_in(tl, slice), flow_col_slice_out, "[  from");
    details_put_arrows(d, in);
    if (utid != NULL_U32)
        put_shares(d, in, "states", utid, ts, end);
    struct row_list leaving = timeline_flows_out(tl, slice);
    if (leaving.count > 0) {
        uint32_t served = table_u32(&tl->trace->tables.flow, flow_col_slice_in)[leaving.rows[0]];
        uint32_t server =
            served < tl->trace->tables.slice.rows ? timeline_slice_thread(tl, served) : NULL_U32;
        if (server != NULL_U32)
            put_shares(d, in, "server", server, slice_ts(tl, served), slice_end_ts(tl, served));
    }
    details_put_ancestors(d, tl, slice);
    put_children(d, tl, slice);
    put_first_args(d, in);
}

static void add_calls(struct details *d, const struct details_input *in)
{
    int width = details_beside_width(in->width) - 2; /* the border and a blank */
    details_chain(d, &d->right, in->tl, in->cursor.event.row, width);
}

const struct event_kind slice_events = {
    .shows = (const char *const[]){"slice", NULL},
    .title = "Slice",
    .name = "slice",
    .table = "slice",
    .count = slice_count,
    .lanes = slice_lanes,
    .lane = slice_lane,
    .is_open = slice_is_open,
    .print_name = print_slice_name,
    .thread = timeline_slice_thread,
    .arg_set = slice_arg_set,
    .place = slice_place,
    .draw = draw_bars,
    .paint = paint_slice,
    .add_details = add_slice_details,
    .add_beside = add_calls,
};
