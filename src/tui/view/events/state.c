/* Thread states: rows of the table thread_state, a lane for each thread. They fill the gaps between
 * the slices of a folded thread. */
#include <inttypes.h>

#include "text/task_state.h"
#include "tui/view/details_parts.h"
#include "tui/view/draw_events.h"
#include "tui/view/links.h"
#include "text/time_format.h"

static uint32_t state_count(const struct timeline *tl)
{
    return tl->trace->tables.thread_state.rows;
}

static const struct lanes *state_lanes(const struct timeline *tl, const struct track_tree *tree,
                                       uint32_t debug)
{
    (void)tree, (void)debug;
    return &tl->states;
}

static uint32_t state_thread(const struct timeline *tl, uint32_t row)
{
    return table_u32(&tl->trace->tables.thread_state, thread_state_col_utid)[row];
}

static uint32_t state_lane(const struct timeline *tl, const struct track_tree *tree,
                           struct event_ref e)
{
    (void)tree;
    return lanes_lane(&tl->states, state_thread(tl, e.row));
}

static void print_state_name(const struct timeline *tl, const struct track_tree *tree,
                             struct event_ref e, char *out, size_t size)
{
    (void)tree;
    task_state_words(timeline_state(tl, e.row), out, size);
}

static struct row_id state_place(const struct timeline *tl, const struct track_tree *tree,
                                 struct event_ref e)
{
    uint32_t utid = state_thread(tl, e.row);
    bool known = utid < tl->trace->tables.thread.rows;
    return (struct row_id){.node = known ? tree->thread_node[utid] : NO_NODE};
}

struct state_look {
    char ascii;
    char32_t glyph;
    uint16_t role;
};

static const struct state_look state_looks[] = {
    [MODE_RUNNING] = {'#', U'█', ROLE_STATE_RUNNING},
    [MODE_RUNNABLE] = {'+', U'▒', ROLE_STATE_RUNNABLE},
    [MODE_SLEEPING] = {'.', U'·', ROLE_STATE_SLEEPING},
    [MODE_BLOCKED] = {'D', U'D', ROLE_STATE_DSTATE},
    [MODE_ENDED] = {' ', U' ', ROLE_DEFAULT},
    [MODE_OTHER] = {'?', U'?', ROLE_STATE_OTHER},
};

static void draw_state(const struct event_canvas *on, int cell, int to, enum thread_mode mode,
                       bool selected)
{
    const struct state_look *look = &state_looks[mode];
    struct rect r = {on->area.x + cell, on->area.y, to - cell, 1};
    bool plain = on->scene->look.mono || on->scene->look.ascii;
    cells_fill(on->cells, r, plain ? (char32_t)look->ascii : look->glyph, look->role, 0);
    if (selected)
        cells_set_ground(on->cells, r, ROLE_SELECTION);
}

/* How long a thread was in each mode; all but running by a sample where there are many states. */
struct mode_sums {
    wide_int dur[MODE_OTHER + 1];
};

static struct mode_sums sum_modes(const struct timeline *tl, uint32_t utid, uint32_t from,
                                  uint32_t to, int64_t t0, int64_t t1)
{
    enum { LOOKED_MAX = 16 };
    struct mode_sums sums = {{0}};
    uint32_t step = (to - from + LOOKED_MAX - 1) / LOOKED_MAX;
    for (uint64_t p = from; p < to; p += step)
        sums.dur[timeline_mode(tl, lanes_row(&tl->states, (uint32_t)p))] +=
            (wide_int)lanes_dur_in(&tl->states, (uint32_t)p, t0, t1) * step;
    sums.dur[MODE_RUNNING] = timeline_running(tl, utid, t0, t1);
    return sums;
}

/* A cell with several states: how much of it the thread did not sleep, in the colour of what it did
 * for most of that. */
static void draw_state_mix(const struct event_canvas *on, int cell, uint32_t from, uint32_t to)
{
    static const enum thread_mode busy[] = {MODE_RUNNING, MODE_RUNNABLE, MODE_BLOCKED};
    const struct scene *s = on->scene;
    int64_t t0 = viewport_time(&s->viewport, cell), t1 = viewport_time(&s->viewport, cell + 1);
    struct mode_sums sums = sum_modes(s->tl, on->sources[0].lane, from, to, t0, t1);
    enum thread_mode most = MODE_RUNNING;
    wide_int all = 0;
    for (size_t i = 0; i < sizeof busy / sizeof *busy; i++) {
        all += sums.dur[busy[i]];
        most = sums.dur[busy[i]] > sums.dur[most] ? busy[i] : most;
    }
    if (all == 0) {
        draw_state(on, cell, cell + 1,
                   sums.dur[MODE_OTHER] > sums.dur[MODE_SLEEPING] ? MODE_OTHER : MODE_SLEEPING,
                   false);
        return;
    }
    int eighths = (int)(all * 8 / (t1 - t0));
    if (most != MODE_RUNNING && eighths >= 7) {
        draw_state(on, cell, cell + 1, most, false);
        return;
    }
    eighths = eighths < 1 ? 1 : eighths > 8 ? 8 : eighths;
    bool plain = s->look.mono || s->look.ascii, ran = most == MODE_RUNNING;
    char32_t letter = !ran ? (char32_t)state_looks[most].ascii : eighths >= 4 ? '#' : ':';
    cells_put(on->cells, on->area.x + cell, on->area.y,
              plain ? (ran && all * 8 < t1 - t0 ? ',' : letter) : glyph_bar(eighths, false),
              state_looks[most].role, 0);
}

/* A thread's states lie on one lane and fill the line. */
static void draw_states(const struct event_canvas *on)
{
    const struct scene *s = on->scene;
    const struct lanes *l = &s->tl->states;
    uint32_t utid = on->sources[0].lane;
    const struct viewport *v = &s->viewport;
    int cell = 0;
    uint32_t end = l->starts[utid + 1], p = lane_first_in(l, utid, v->start);
    while (cell < v->width && p < end) {
        int64_t t1 = viewport_time(v, cell + 1);
        uint32_t next = lane_lower_bound(l, utid, t1);
        if (next <= p) { /* nothing begins yet: go on to where it does */
            if (lanes_ts(l, p) >= t1) {
                cell = viewport_cell(v, lanes_ts(l, p));
                continue;
            }
            next = p + 1;
        }
        bool lasts = lanes_end(l, next - 1) > t1;
        if (next - p == 1) {
            int64_t last = lanes_end(l, p) - 1;
            int to =
                viewport_cell(v, last) + (viewport_time(v, viewport_cell(v, last) + 1) == last + 1);
            to = to <= cell ? cell + 1 : to > v->width ? v->width : to;
            draw_state(on, cell, to, timeline_mode(s->tl, lanes_row(l, p)),
                       event_is_selected(s, on->row, &on->sources[0], lanes_row(l, p)));
            cell = to;
            p = lanes_end(l, p) > viewport_time(v, cell) ? p : p + 1;
            continue;
        }
        draw_state_mix(on, cell, p, next);
        p = lasts ? next - 1 : next;
        cell++;
    }
}

/* Of what runs: below 100 it is real time, above 120 it is nice to others. */
static void put_priority(struct details *d, const struct timeline *tl, uint32_t utid, uint32_t cpu,
                         int64_t ts)
{
    const struct table *t = &tl->trace->tables.sched_slice;
    uint32_t p = cpu < tl->sched.lane_count ? lane_at(&tl->sched, cpu, ts) : NO_POSITION;
    if (p == NO_POSITION || table_u32(t, sched_slice_col_utid)[lanes_row(&tl->sched, p)] != utid)
        return;
    int64_t priority = column_int(&t->columns[sched_slice_col_priority], lanes_row(&tl->sched, p));
    details_put(d, &d->left, ROLE_KEY, "  priority ");
    details_put(d, &d->left, ROLE_VALUE, "%" PRId64, priority);
    if (priority < 100)
        details_put(d, &d->left, ROLE_DIM, " real time");
    else if (priority != 120)
        details_put(d, &d->left, ROLE_DIM, " nice %" PRId64, priority - 120);
}

/* Who ended the wait: a thread, or an interrupt that came while it ran. */
static void put_waker(struct details *d, const struct details_input *in, uint32_t row)
{
    const struct timeline *tl = in->tl;
    const struct table *t = &tl->trace->tables.thread_state;
    uint32_t waker = table_u32(t, thread_state_col_waker_utid)[row];
    uint32_t state = table_u32(t, thread_state_col_waker_id)[row];
    struct link link[LINKS_MAX];
    if (waker >= tl->trace->tables.thread.rows)
        return;
    bool found = links_find(tl, in->tree, event_of(&state_events, row), link) > 0 &&
                 link[0].kind == LINK_INTERRUPT && link[0].to.kind == &slice_events;
    details_line(d, &d->left,
                 found             ? link[0].to
                 : state < t->rows ? event_of(&state_events, state)
                                   : NO_EVENT);
    details_put(d, &d->left, ROLE_KEY, "woken by ");
    if (found)
        details_put_name(d, &d->left, ROLE_LINK, slice_name(tl, link[0].to.row));
    if (found && timeline_tid(tl, waker) == 0) {
        details_put(d, &d->left, ROLE_KEY, " on an idle CPU");
    } else if (found) {
        details_put(d, &d->left, ROLE_KEY, ", when this ran: ");
        details_put_thread(d, &d->left, tl, waker);
    } else {
        details_put_waker(d, &d->left, tl, row);
    }
    if (timeline_tid(tl, waker) != 0)
        details_put_process(d, &d->left, tl, timeline_upid(tl, waker), details_left_width(in));
}

static void add_state_details(struct details *d, const struct details_input *in)
{
    const struct timeline *tl = in->tl;
    const struct table *t = &tl->trace->tables.thread_state;
    uint32_t row = in->cursor.event.row, utid = state_thread(tl, row);
    struct event_span span = event_times(tl, in->tree, in->cursor.event);
    char state[64];
    static const char *const words[] = {
        [MODE_RUNNING] = "on a CPU", [MODE_RUNNABLE] = "waits for a CPU",
        [MODE_SLEEPING] = "",        [MODE_BLOCKED] = "blocked, cannot be interrupted",
        [MODE_ENDED] = "has ended",  [MODE_OTHER] = "",
    };
    details_line(d, &d->left, NO_EVENT);
    task_state_words(timeline_state(tl, row), state, sizeof state);
    details_put_name(d, &d->left, ROLE_STRONG, str_from(state));
    details_put(d, &d->left, ROLE_DIM, "  #%u  ", row);
    details_put(d, &d->left, ROLE_DEFAULT, "%s", words[timeline_mode(tl, row)]);
    uint32_t cpu = table_small(t, thread_state_col_ucpu, row);
    char name[CPU_NAME_MAX];
    timeline_cpu_name(tl, cpu, name);
    if (cpu != NULL_U32) {
        details_put(d, &d->left, ROLE_VALUE, "  CPU %s", name);
        details_put_cpu_clock(d, in, cpu);
    }
    put_priority(d, tl, utid, cpu, span.ts);
    if (timeline_mode(tl, row) == MODE_ENDED)
        details_put_times(d, tl, span.ts, span.end);
    else
        details_put_lasting(d, in);
    details_put_cpu_loss(d, tl, cpu);
    details_line(d, &d->left, NO_EVENT);
    details_put(d, &d->left, ROLE_KEY, "thread ");
    details_put_thread(d, &d->left, tl, utid);
    details_put_process(d, &d->left, tl, timeline_upid(tl, utid), details_left_width(in));
    string_id function = column_str(&t->columns[thread_state_col_blocked_function], row);
    uint32_t io = table_small(t, thread_state_col_io_wait, row);
    if (function != NULL_STRING || io != NULL_U32) {
        details_line(d, &d->left, NO_EVENT);
        details_put(d, &d->left, ROLE_KEY, "blocked in ");
        details_put_name(d, &d->left, ROLE_VALUE, timeline_str(tl, function));
        if (io != NULL_U32)
            details_put(d, &d->left, ROLE_VALUE, "  %s", io ? "IO wait" : "no IO wait");
    }
    put_waker(d, in, row);
    details_put_inside(d, tl, utid, in->cursor.ts);
}

const struct event_kind state_events = {
    .title = "State",
    .name = "state",
    .table = "thread_state",
    .count = state_count,
    .background = true,
    .lanes = state_lanes,
    .lane = state_lane,
    .print_name = print_state_name,
    .thread = state_thread,
    .place = state_place,
    .draw = draw_states,
    .add_details = add_state_details,
};
