#include "tui/view/details.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/utf8.h"
#include "tui/view/time_format.h"

static const struct event_ref nowhere = {.kind = EVENT_NONE};

void details_init(struct details *d)
{
    *d = (struct details){0};
    arena_init(&d->arena);
}

void details_release(struct details *d)
{
    vec_release(&d->left.v);
    vec_release(&d->right.v);
    arena_release(&d->arena);
}

void details_clear(struct details *d)
{
    arena_release(&d->arena);
    arena_init(&d->arena);
    d->left.v.count = d->right.v.count = 0;
    d->same_name = 0;
    d->kind = EVENT_NONE;
}

struct detail_line *details_line(struct details *d, struct detail_list *list, struct event_ref jump)
{
    struct detail_line *line = vec_push(&list->v);
    *line = (struct detail_line){.segments =
                                     arena_alloc(&d->arena, SEGMENTS_MAX * sizeof(struct segment)),
                                 .jump = jump};
    return line;
}

void details_put(struct details *d, struct detail_list *list, uint16_t role, const char *format,
                 ...)
{
    char text[512];
    va_list args;
    va_start(args, format);
    int n = vsnprintf(text, sizeof text, format, args);
    va_end(args);
    if (n <= 0 || list->v.count == 0)
        return;
    size_t size = (size_t)n < sizeof text ? (size_t)n : sizeof text - 1;
    struct detail_line *line = &vec_last(&list->v);
    if (line->count == SEGMENTS_MAX)
        return;
    char *copy = arena_alloc_bytes(&d->arena, size);
    memcpy(copy, text, size);
    line->segments[line->count++] = (struct segment){role, {copy, size}};
}

void details_wrap(struct details *d, struct detail_list *list, int width, int cells)
{
    const struct detail_line *line = &vec_last(&list->v);
    int used = 0;
    for (int i = 0; i < line->count; i++)
        used += text_width(line->segments[i].text);
    if (used == 0 || (used + cells <= width && line->count + 3 <= SEGMENTS_MAX))
        return;
    details_line(d, list, nowhere);
    details_put(d, list, ROLE_DEFAULT, "       ");
}

static void put_name(struct details *d, struct detail_list *list, uint16_t role, struct str name)
{
    details_put(d, list, role, "%.*s", (int)(name.n < 400 ? name.n : 400), name.n ? name.p : "");
}

static void put_thread(struct details *d, struct detail_list *list, const struct timeline *tl,
                       uint32_t utid)
{
    char name[128];
    timeline_thread_name(tl, utid, name, sizeof name);
    details_put(d, list, ROLE_VALUE, "%s", name);
    details_put(d, list, ROLE_DIM, " %" PRId64, timeline_tid(tl, utid));
}

static void put_process(struct details *d, struct detail_list *list, const struct timeline *tl,
                        uint32_t upid, int width)
{
    char name[128];
    if (upid >= tl->trace->tables.process.rows)
        return;
    timeline_process_name(tl, upid, name, sizeof name);
    details_wrap(d, list, width, 20 + (int)strlen(name));
    details_put(d, list, ROLE_KEY, "  process ");
    details_put(d, list, ROLE_VALUE, "%s", name);
    details_put(d, list, ROLE_DIM, " %" PRId64, timeline_pid(tl, upid));
}

static void put_times(struct details *d, const struct timeline *tl, int64_t ts, int64_t end)
{
    char text[64];
    details_line(d, &d->left, nowhere);
    details_put(d, &d->left, ROLE_KEY, "start ");
    format_exact(text, sizeof text, ts - tl->start);
    details_put(d, &d->left, ROLE_VALUE, "%s", text);
    details_put(d, &d->left, ROLE_KEY, "   dur ");
    format_exact(text, sizeof text, end - ts);
    details_put(d, &d->left, ROLE_VALUE, "%s", text);
}

static int left_width(const struct details_input *in)
{
    bool two = in->cursor.event.kind == EVENT_SLICE && in->width >= DETAILS_WIDE;
    return in->width - 3 - (two ? DETAILS_CHAIN : 0);
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
    uint32_t waker; /* who ended its longest sleep, NULL_U32 */
};

static struct state_shares share_states(const struct timeline *tl, uint32_t utid, int64_t t0,
                                        int64_t t1)
{
    const struct table *t = &tl->trace->tables.thread_state;
    struct state_shares s = {.waker = NULL_U32};
    int64_t longest = -1, slept = 0;
    uint32_t p = lane_first_in(&tl->states, utid, t0), end = tl->states.starts[utid + 1];
    for (uint32_t looked = 0; p < end && lanes_ts(&tl->states, p) < t1; p++, looked++) {
        uint32_t row = tl->states.rows[p], waker = table_u32(t, thread_state_col_waker_utid)[row];
        int64_t from = lanes_ts(&tl->states, p), to = lanes_end(&tl->states, p);
        int64_t dur = (to < t1 ? to : t1) - (from > t0 ? from : t0);
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
        if (waker != NULL_U32 && slept > longest) {
            longest = slept;
            s.waker = waker;
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
    details_line(d, &d->left, nowhere);
    details_put(d, &d->left, ROLE_KEY, "%-7s ", label);
    for (int i = 0; i < s.count && i < 4; i++) {
        struct str name = timeline_str(tl, s.items[i].state);
        char ms[32];
        format_ms(ms, sizeof ms, s.items[i].dur);
        details_wrap(d, &d->left, left_width(in), (int)(name.n + strlen(ms)) + 6);
        details_put(d, &d->left, ROLE_VALUE, "%.*s %s", (int)(name.n < 20 ? name.n : 20), name.p,
                    ms);
        details_put(d, &d->left, ROLE_DIM, " %d%%   ",
                    (int)((double)s.items[i].dur * 100 / (double)(t1 - t0) + 0.5));
    }
    int waited = (int)((double)s.waited * 100 / (double)(t1 - t0) + 0.5);
    details_wrap(d, &d->left, left_width(in), waited >= 20 ? 18 : 0);
    if (waited >= 20)
        details_put(d, &d->left, ROLE_ERROR, "<- %d%% CPU wait   ", waited);
    if (s.waker == NULL_U32 || s.waker >= tl->trace->tables.thread.rows)
        return;
    details_wrap(d, &d->left, left_width(in), 34);
    details_put(d, &d->left, ROLE_KEY, "woken by ");
    put_thread(d, &d->left, tl, s.waker);
}

/* Every ancestor on a line of its own, outermost first; each leads there. */
static void put_ancestors(struct details *d, const struct timeline *tl, uint32_t slice)
{
    enum { ANCESTORS_MAX = 64 };
    uint32_t chain[ANCESTORS_MAX];
    int n = 0;
    for (uint32_t p = slice_parent(tl, slice);
         p < tl->trace->tables.slice.rows && n < ANCESTORS_MAX; p = slice_parent(tl, p))
        chain[n++] = p;
    for (int i = n - 1; i >= 0; i--) {
        char dur[32];
        format_dur_short(dur, sizeof dur, slice_end_ts(tl, chain[i]) - slice_ts(tl, chain[i]));
        details_line(d, &d->left, (struct event_ref){EVENT_SLICE, chain[i], 0});
        details_put(d, &d->left, ROLE_KEY, "%-3s%*s", i == n - 1 ? "in" : "", n - 1 - i, "");
        put_name(d, &d->left, ROLE_LINK, slice_name(tl, chain[i]));
        details_put(d, &d->left, ROLE_DIM, "  %s", dur);
    }
}

static void put_arg_value(struct details *d, const struct timeline *tl, const struct arg *a)
{
    switch (a->type) {
    case ARG_NULL:
        details_put(d, &d->left, ROLE_DIM, "null");
        break;
    case ARG_INT:
        details_put(d, &d->left, ROLE_VALUE, "%" PRId64, a->i);
        break;
    case ARG_UINT:
        details_put(d, &d->left, ROLE_VALUE, "%" PRIu64, (uint64_t)a->i);
        break;
    case ARG_POINTER:
        details_put(d, &d->left, ROLE_VALUE, "0x%" PRIx64, (uint64_t)a->i);
        break;
    case ARG_BOOL:
        details_put(d, &d->left, ROLE_VALUE, "%s", a->i ? "true" : "false");
        break;
    case ARG_REAL:
        details_put(d, &d->left, ROLE_VALUE, "%.9g", a->d);
        break;
    case ARG_STRING:
    case ARG_JSON:
        put_name(d, &d->left, ROLE_VALUE, timeline_str(tl, a->s));
        break;
    }
}

static uint32_t event_arg_set(const struct timeline *tl, struct event_ref e)
{
    if (e.kind == EVENT_SLICE)
        return slice_u32(tl, e.row, slice_col_arg_set_id);
    if (e.kind == EVENT_COUNTER)
        return table_u32(&tl->trace->tables.counter, counter_col_arg_set_id)[e.row];
    return NULL_U32;
}

/* All args, a line each. */
static void put_args(struct details *d, const struct timeline *tl, struct event_ref e)
{
    struct arg_list list = {0};
    args_read(&tl->trace->args, event_arg_set(tl, e), &list);
    for (size_t i = 0; i < list.v.count && i < 2000; i++) {
        struct str key = timeline_str(tl, list.v.items[i].key);
        details_line(d, &d->left, nowhere);
        details_put(d, &d->left, ROLE_KEY, "%-32.*s ", (int)(key.n < 64 ? key.n : 64),
                    key.n ? key.p : "");
        put_arg_value(d, tl, &list.v.items[i]);
    }
    if (list.v.count == 0) {
        details_line(d, &d->left, nowhere);
        details_put(d, &d->left, ROLE_DIM, "no args");
    }
    arg_list_release(&list);
}

/* The first args, as many on a line as fit: the whole list is a tab of its own. */
static void put_first_args(struct details *d, const struct details_input *in)
{
    struct arg_list list = {0};
    args_read(&in->tl->trace->args, event_arg_set(in->tl, in->cursor.event), &list);
    if (list.v.count > 0)
        details_line(d, &d->left, nowhere);
    for (size_t i = 0; i < list.v.count && i < 16; i++) {
        struct str key = timeline_str(in->tl, list.v.items[i].key);
        details_wrap(d, &d->left, left_width(in), (int)(key.n < 64 ? key.n : 64) + 8);
        details_put(d, &d->left, ROLE_KEY, "%.*s ", (int)(key.n < 64 ? key.n : 64),
                    key.n ? key.p : "");
        put_arg_value(d, in->tl, &list.v.items[i]);
        details_put(d, &d->left, ROLE_DEFAULT, "  ");
    }
    arg_list_release(&list);
}

static uint32_t rank_in(const struct timeline *tl, struct flow_list same, uint32_t slice)
{
    int64_t dur = slice_end_ts(tl, slice) - slice_ts(tl, slice);
    uint32_t lo = 0, hi = same.count;
    while (lo < hi) {
        uint32_t mid = lo + (hi - lo) / 2;
        if (slice_end_ts(tl, same.rows[mid]) - slice_ts(tl, same.rows[mid]) > dur)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo + 1;
}

/* The other ends of the slice's flows, each a jump. */
static void put_flows(struct details *d, const struct timeline *tl, struct flow_list flows,
                      uint32_t column, const char *label)
{
    const struct table *t = &tl->trace->tables.flow;
    for (uint32_t i = 0; i < flows.count && i < 16; i++) {
        uint32_t other = table_u32(t, column)[flows.rows[i]];
        if (other >= tl->trace->tables.slice.rows)
            continue;
        uint32_t utid = timeline_slice_thread(tl, other);
        char dur[32];
        format_dur_short(dur, sizeof dur, slice_end_ts(tl, other) - slice_ts(tl, other));
        details_line(d, &d->left, (struct event_ref){EVENT_SLICE, other, 0});
        details_put(d, &d->left, ROLE_KEY, "%s ", label);
        put_name(d, &d->left, ROLE_LINK, slice_name(tl, other));
        details_put(d, &d->left, ROLE_DIM, " %s on ", dur);
        if (utid != NULL_U32)
            put_thread(d, &d->left, tl, utid);
    }
}

static void make_slice(struct details *d, const struct details_input *in)
{
    const struct timeline *tl = in->tl;
    uint32_t slice = in->cursor.event.row;
    int64_t ts = slice_ts(tl, slice), end = slice_end_ts(tl, slice);
    struct flow_list same = timeline_same_name(tl, slice_u32(tl, slice, slice_col_name));
    uint32_t utid = timeline_slice_thread(tl, slice);
    char rank[32];
    d->same_name = same.count;
    details_line(d, &d->left, nowhere);
    put_name(d, &d->left, ROLE_STRONG, slice_name(tl, slice));
    details_put(d, &d->left, ROLE_DIM, "  #%u", slice);
    format_ordinal(rank, sizeof rank, rank_in(tl, same, slice));
    if (same.count > 1)
        details_put(d, &d->left, ROLE_DEFAULT, "   %s longest of %u", rank, same.count);
    details_put(d, &d->left, ROLE_DIM, "   depth %u", slice_u32(tl, slice, slice_col_depth));
    put_times(d, tl, ts, end);
    if (slice_is_open(tl, slice))
        details_put(d, &d->left, ROLE_ERROR, "  never ended");
    if (utid != NULL_U32) {
        details_line(d, &d->left, nowhere);
        details_put(d, &d->left, ROLE_KEY, "thread ");
        put_thread(d, &d->left, tl, utid);
        put_process(d, &d->left, tl, timeline_upid(tl, utid), left_width(in));
    } else {
        const struct track_node *n = &in->tree->nodes.items[in->row->key.node];
        details_line(d, &d->left, nowhere);
        details_put(d, &d->left, ROLE_KEY, "track ");
        details_put(d, &d->left, ROLE_VALUE, "%s", n->label);
        put_process(d, &d->left, tl,
                    table_u32(&tl->trace->tables.track,
                              track_col_upid)[slice_u32(tl, slice, slice_col_track_id)],
                    left_width(in));
    }
    put_flows(d, tl, timeline_flows_out(tl, slice), flow_col_slice_in, "]  to");
    put_flows(d, tl, timeline_flows_in(tl, slice), flow_col_slice_out, "[  from");
    if (utid != NULL_U32)
        put_shares(d, in, "states", utid, ts, end);
    struct flow_list leaving = timeline_flows_out(tl, slice);
    if (leaving.count > 0) {
        uint32_t served = table_u32(&tl->trace->tables.flow, flow_col_slice_in)[leaving.rows[0]];
        uint32_t server =
            served < tl->trace->tables.slice.rows ? timeline_slice_thread(tl, served) : NULL_U32;
        if (server != NULL_U32)
            put_shares(d, in, "server", server, slice_ts(tl, served), slice_end_ts(tl, served));
    }
    put_ancestors(d, tl, slice);
    put_first_args(d, in);
}

/* The innermost slice of a thread at a time, NULL_U32 if none. */
static uint32_t innermost(const struct timeline *tl, uint32_t utid, int64_t t)
{
    uint32_t track = tl->threads[utid].track, found = NULL_U32;
    for (uint32_t d = 0; track != NULL_U32 && d < timeline_track_depths(tl, track); d++) {
        uint32_t p = lane_at(&tl->slices, tl->slice_base[track] + d, t);
        if (p == NO_POSITION)
            break;
        found = tl->slices.rows[p];
    }
    return found;
}

static void put_inside(struct details *d, const struct timeline *tl, uint32_t utid, int64_t t)
{
    uint32_t slice = innermost(tl, utid, t);
    if (slice == NULL_U32)
        return;
    details_line(d, &d->left, (struct event_ref){EVENT_SLICE, slice, 0});
    details_put(d, &d->left, ROLE_KEY, "within ");
    put_name(d, &d->left, ROLE_LINK, slice_name(tl, slice));
    put_ancestors(d, tl, slice);
}

static void make_state(struct details *d, const struct details_input *in)
{
    const struct timeline *tl = in->tl;
    const struct table *t = &tl->trace->tables.thread_state;
    uint32_t row = in->cursor.event.row, utid = table_u32(t, thread_state_col_utid)[row];
    struct event_span span = event_times(tl, in->tree, in->cursor.event);
    static const char *const words[] = {
        [MODE_RUNNING] = "on a CPU", [MODE_RUNNABLE] = "waits for a CPU",
        [MODE_SLEEPING] = "sleeps",  [MODE_BLOCKED] = "blocked, cannot be interrupted",
        [MODE_ENDED] = "has ended",  [MODE_OTHER] = "",
    };
    details_line(d, &d->left, nowhere);
    put_name(d, &d->left, ROLE_STRONG,
             timeline_str(tl, column_str(&t->columns[thread_state_col_state], row)));
    details_put(d, &d->left, ROLE_DIM, "  #%u  ", row);
    details_put(d, &d->left, ROLE_DEFAULT, "%s", words[timeline_mode(tl, row)]);
    uint32_t cpu = table_u32(t, thread_state_col_ucpu)[row];
    char name[CPU_NAME_MAX];
    timeline_cpu_name(tl, cpu, name);
    if (cpu != NULL_U32)
        details_put(d, &d->left, ROLE_VALUE, "  CPU %s", name);
    put_times(d, tl, span.ts, span.end);
    details_line(d, &d->left, nowhere);
    details_put(d, &d->left, ROLE_KEY, "thread ");
    put_thread(d, &d->left, tl, utid);
    put_process(d, &d->left, tl, timeline_upid(tl, utid), left_width(in));
    string_id function = column_str(&t->columns[thread_state_col_blocked_function], row);
    uint32_t io = table_u32(t, thread_state_col_io_wait)[row];
    if (function != NULL_STRING || io != NULL_U32) {
        details_line(d, &d->left, nowhere);
        details_put(d, &d->left, ROLE_KEY, "blocked in ");
        put_name(d, &d->left, ROLE_VALUE, timeline_str(tl, function));
        if (io != NULL_U32)
            details_put(d, &d->left, ROLE_VALUE, "  %s", io ? "IO wait" : "no IO wait");
    }
    uint32_t waker = table_u32(t, thread_state_col_waker_utid)[row];
    uint32_t waker_state = table_u32(t, thread_state_col_waker_id)[row];
    if (waker < tl->trace->tables.thread.rows) {
        bool known = waker_state < t->rows;
        details_line(d, &d->left,
                     known ? (struct event_ref){EVENT_STATE, waker_state, 0} : nowhere);
        details_put(d, &d->left, ROLE_KEY, "woken by ");
        put_thread(d, &d->left, tl, waker);
        put_process(d, &d->left, tl, timeline_upid(tl, waker), left_width(in));
    }
    put_inside(d, tl, utid, in->cursor.ts);
}

static void make_sched(struct details *d, const struct details_input *in)
{
    const struct timeline *tl = in->tl;
    const struct table *t = &tl->trace->tables.sched_slice;
    uint32_t row = in->cursor.event.row, utid = table_u32(t, sched_slice_col_utid)[row];
    struct event_span span = event_times(tl, in->tree, in->cursor.event);
    if (utid >= tl->trace->tables.thread.rows)
        return;
    uint32_t state = lane_at(&tl->states, utid, span.ts);
    details_line(d, &d->left,
                 state == NO_POSITION ? nowhere
                                      : (struct event_ref){EVENT_STATE, tl->states.rows[state], 0});
    put_thread(d, &d->left, tl, utid);
    put_process(d, &d->left, tl, timeline_upid(tl, utid), left_width(in));
    put_times(d, tl, span.ts, span.end);
    details_line(d, &d->left, nowhere);
    details_put(d, &d->left, ROLE_KEY, "CPU ");
    char name[CPU_NAME_MAX];
    timeline_cpu_name(tl, table_u32(t, sched_slice_col_ucpu)[row], name);
    details_put(d, &d->left, ROLE_VALUE, "%s", name);
    details_put(d, &d->left, ROLE_KEY, "   priority ");
    details_put(d, &d->left, ROLE_VALUE, "%" PRId64,
                column_int(&t->columns[sched_slice_col_priority], row));
    details_put(d, &d->left, ROLE_KEY, "   then ");
    put_name(d, &d->left, ROLE_VALUE,
             timeline_str(tl, column_str(&t->columns[sched_slice_col_end_state], row)));
    put_inside(d, tl, utid, in->cursor.ts);
}

static void make_counter(struct details *d, const struct details_input *in)
{
    const struct timeline *tl = in->tl;
    const struct table *tracks = &tl->trace->tables.track;
    uint32_t row = in->cursor.event.row;
    uint32_t track = table_u32(&tl->trace->tables.counter, counter_col_track_id)[row];
    const double *values = table_f64(&tl->trace->tables.counter, counter_col_value);
    struct event_span span = event_times(tl, in->tree, in->cursor.event);
    char text[64];
    details_line(d, &d->left, nowhere);
    put_name(d, &d->left, ROLE_STRONG,
             timeline_str(tl, column_str(&tracks->columns[track_col_name], track)));
    format_value(text, sizeof text, values[row]);
    details_put(d, &d->left, ROLE_VALUE, "  %s ", text);
    put_name(d, &d->left, ROLE_DIM,
             timeline_str(tl, column_str(&tracks->columns[track_col_counter_unit], track)));
    put_times(d, tl, span.ts, span.end);
    uint32_t p = steps_at(&tl->counters, track, span.ts - 1);
    details_line(d, &d->left, nowhere);
    if (p != UINT32_MAX) {
        double delta = values[row] - steps_value(&tl->counters, p);
        format_value(text, sizeof text, delta);
        details_put(d, &d->left, ROLE_KEY, "change ");
        details_put(d, &d->left, ROLE_VALUE, "%s%s   ", delta > 0 ? "+" : "", text);
    }
    struct value_range all =
        steps_range(&tl->counters, tl->counters.starts[track], tl->counters.starts[track + 1]);
    format_value(text, sizeof text, all.min);
    details_put(d, &d->left, ROLE_KEY, "trace ");
    details_put(d, &d->left, ROLE_VALUE, "%s", text);
    format_value(text, sizeof text, all.max);
    details_put(d, &d->left, ROLE_VALUE, " .. %s", text);
    details_put(d, &d->left, ROLE_DIM, "  %u steps", timeline_track_steps(tl, track));
}

static void make_debug(struct details *d, const struct details_input *in)
{
    struct event_span span = event_times(in->tl, in->tree, in->cursor.event);
    char name[256];
    event_name(in->tl, in->tree, in->cursor.event, name, sizeof name);
    details_line(d, &d->left, nowhere);
    details_put(d, &d->left, ROLE_STRONG, "%s", name);
    details_put(d, &d->left, ROLE_DIM, "  row %u of %s", in->cursor.event.row,
                in->tree->debug.items[in->cursor.event.debug]->label);
    put_times(d, in->tl, span.ts, span.end);
}

static void make_none(struct details *d, const struct details_input *in)
{
    const struct track_node *n = &in->tree->nodes.items[in->row->key.node];
    struct event_source sources[SOURCES_MAX];
    details_line(d, &d->left, nowhere);
    details_put(d, &d->left, ROLE_STRONG, "%s", n->label);
    if (n->kind == NODE_PROCESS) {
        const struct process_facts *f = &in->tl->processes[n->id];
        char ran[32];
        format_dur_short(ran, sizeof ran, f->running);
        details_put(d, &d->left, ROLE_DIM, "  pid %" PRId64, n->number);
        details_line(d, &d->left, nowhere);
        details_put(d, &d->left, ROLE_KEY, "in the whole trace: ");
        details_put(d, &d->left, ROLE_VALUE, "CPU %s, %u threads, %u slices, %u counters", ran,
                    f->threads, f->slices, f->counters);
    }
    if (row_sources(in->tl, in->tree, in->row, sources) == 0)
        return;
    struct event_span gap = row_gap_at(in->tl, in->tree, in->row, in->cursor.ts);
    char dur[40];
    format_dur(dur, sizeof dur, gap.end - gap.ts);
    details_put(d, &d->left, ROLE_DEFAULT, "   nothing here: a gap of %s", dur);
    put_times(d, in->tl, gap.ts, gap.end);
}

static void make_same_name(struct details *d, const struct details_input *in)
{
    const struct timeline *tl = in->tl;
    if (in->cursor.event.kind != EVENT_SLICE)
        return;
    struct flow_list same =
        timeline_same_name(tl, slice_u32(tl, in->cursor.event.row, slice_col_name));
    d->same_name = same.count;
    for (uint32_t i = 0; i < same.count && i < 1000; i++) {
        uint32_t slice = same.rows[i], utid = timeline_slice_thread(tl, slice);
        char start[40], dur[40];
        format_ms(start, sizeof start, slice_ts(tl, slice) - tl->start);
        format_ms(dur, sizeof dur, slice_end_ts(tl, slice) - slice_ts(tl, slice));
        details_line(d, &d->left, (struct event_ref){EVENT_SLICE, slice, 0});
        details_put(d, &d->left, ROLE_VALUE, "%12s ms  at %14s  ", dur, start);
        put_name(d, &d->left, slice == in->cursor.event.row ? ROLE_STRONG : ROLE_LINK,
                 slice_name(tl, slice));
        details_put(d, &d->left, ROLE_DEFAULT, "  ");
        if (utid != NULL_U32)
            put_thread(d, &d->left, tl, utid);
    }
}

static void make_event(struct details *d, const struct details_input *in)
{
    switch (in->cursor.event.kind) {
    case EVENT_SLICE:
        make_slice(d, in);
        break;
    case EVENT_STATE:
        make_state(d, in);
        break;
    case EVENT_SCHED:
        make_sched(d, in);
        break;
    case EVENT_COUNTER:
        make_counter(d, in);
        break;
    case EVENT_DEBUG:
    case EVENT_DEBUG_COUNTER:
        make_debug(d, in);
        break;
    case EVENT_NONE:
        make_none(d, in);
        break;
    }
}

void details_make(struct details *d, const struct details_input *in)
{
    bool slice = in->cursor.event.kind == EVENT_SLICE;
    details_clear(d);
    d->kind = in->cursor.event.kind;
    if (slice)
        d->same_name =
            timeline_same_name(in->tl, slice_u32(in->tl, in->cursor.event.row, slice_col_name))
                .count;
    switch (in->tab) {
    case TAB_EVENT:
        make_event(d, in);
        if (slice && in->width >= DETAILS_WIDE)
            details_chain(d, &d->right, in->tl, in->cursor.event.row);
        break;
    case TAB_ARGS:
        put_args(d, in->tl, in->cursor.event);
        break;
    case TAB_CHAIN:
        if (slice)
            details_chain(d, &d->left, in->tl, in->cursor.event.row);
        break;
    case TAB_SAME_NAME:
        make_same_name(d, in);
        break;
    case TAB_AREA:
        details_area(d, in->tl, in->tree, in->cursor.key.node, in->area);
        break;
    case TAB_FINDINGS:
    case TAB_COUNT:
        break;
    }
}
