#include "tui/view/details_parts.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/bisect.h"
#include "core/loss.h"
#include "core/trace/trace_window.h"
#include "text/time.h"
#include "text/time_format.h"

void details_put_name(struct details *d, struct detail_list *list, uint16_t role, struct str name)
{
    enum { NAME_MAX_BYTES = 16384 };
    details_put(d, list, role, "%.*s", (int)(name.n < NAME_MAX_BYTES ? name.n : NAME_MAX_BYTES),
                name.n ? name.p : "");
}

void details_put_thread(struct details *d, struct detail_list *list, const struct timeline *tl,
                        uint32_t utid)
{
    char name[128];
    timeline_thread_name(tl, utid, name, sizeof name);
    details_put(d, list, ROLE_VALUE, "%s", name);
    details_put(d, list, ROLE_DIM, " %" PRId64, timeline_tid(tl, utid));
}

void details_put_waker(struct details *d, struct detail_list *list, const struct timeline *tl,
                       uint32_t state)
{
    const struct table *t = &tl->trace->tables.thread_state;
    uint32_t waker = table_u32(t, thread_state_col_waker_utid)[state];
    if (timeline_tid(tl, waker) == 0) {
        details_put(d, list, ROLE_VALUE, "an interrupt on an idle CPU");
        return;
    }
    if (table_small(t, thread_state_col_irq_context, state) == 1) {
        details_put(d, list, ROLE_VALUE, "an interrupt");
        details_put(d, list, ROLE_KEY, ", when this ran: ");
    }
    details_put_thread(d, list, tl, waker);
}

void details_put_cpu_clock(struct details *d, const struct details_input *in, uint32_t ucpu)
{
    static const struct counter_look look = {.scale = SCALE_ZERO, .mode = COUNTER_VALUE};
    const struct timeline *tl = in->tl;
    const struct table *tracks = &tl->trace->tables.track;
    uint32_t cpu = ucpu < tl->sched.lane_count ? in->tree->cpu_node[ucpu] : NO_NODE;
    uint32_t node = cpu == NO_NODE ? NO_NODE : in->tree->nodes.items[cpu].first_child;
    for (; node != NO_NODE; node = in->tree->nodes.items[node].next) {
        const struct track_node *n = &in->tree->nodes.items[node];
        if (n->kind != NODE_COUNTER)
            continue;
        struct str type = timeline_str(tl, column_str(&tracks->columns[track_col_type], n->id));
        double value = counter_at(tl, n->id, look, in->cursor.ts);
        bool sleeps = timeline_is_idle_counter(tl, n->id);
        char text[40];
        if (isnan(value) || (sleeps && timeline_level(tl, n->id, value) == 0) ||
            (!sleeps && !str_eq(type, STR("cpu_frequency"))))
            continue;
        counter_print(tl, n->id, look, value, text, sizeof text);
        details_put(d, &d->left, ROLE_KEY, "%s", sleeps ? "  idle state " : "  at ");
        details_put(d, &d->left, ROLE_VALUE, "%s", text);
    }
}

void details_put_cpu_loss(struct details *d, const struct timeline *tl, uint32_t ucpu)
{
    if (ucpu == NULL_U32 || !loss_of_cpu(tl->trace, ucpu))
        return;
    details_line(d, &d->left, NO_EVENT);
    details_put(d, &d->left, ROLE_ERROR,
                "events of this CPU are missing: others may have run here meanwhile");
}

void details_put_slice(struct details *d, struct detail_list *list, uint16_t role,
                       const struct timeline *tl, uint32_t slice)
{
    details_put_name(d, list, role, slice_name(tl, slice));
    if (slice_is_open(tl, slice))
        details_put(d, list, ROLE_ERROR, " (%s)", trace_open_words(tl->trace));
}

void details_put_slice_track(struct details *d, struct detail_list *list, const struct timeline *tl,
                             uint32_t slice)
{
    uint32_t utid = timeline_slice_thread(tl, slice);
    char name[256];
    if (utid != NULL_U32) {
        details_put_thread(d, list, tl, utid);
        return;
    }
    timeline_track_name(tl, slice_u32(tl, slice, slice_col_track_id), name, sizeof name);
    details_put(d, list, ROLE_VALUE, "%s", name);
}

void details_put_process(struct details *d, struct detail_list *list, const struct timeline *tl,
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

void details_put_times(struct details *d, const struct timeline *tl, int64_t ts, int64_t end)
{
    char text[64];
    details_line(d, &d->left, NO_EVENT);
    details_put(d, &d->left, ROLE_KEY, "start ");
    format_exact(text, sizeof text, time_minus(ts, tl->start));
    details_put(d, &d->left, ROLE_VALUE, "%s", text);
    details_put(d, &d->left, ROLE_KEY, "   dur ");
    format_exact(text, sizeof text, end - ts);
    details_put(d, &d->left, ROLE_VALUE, "%s", text);
    struct edge_words words = trace_edge_words(tl->trace, ts, false);
    if (!words.text[0])
        return;
    details_line(d, &d->left, NO_EVENT);
    details_put(d, &d->left, ROLE_ERROR, "%s", words.text);
}

void details_put_lasting(struct details *d, const struct details_input *in)
{
    const struct timeline *tl = in->tl;
    struct event_ref event = in->cursor.event;
    struct event_span span = event_times(tl, in->tree, event);
    bool lasts = span.end >= tl->end, goes_on = lasts && trace_goes_on(tl->trace);
    details_put_times(d, tl, span.ts, span.end);
    if (event_is_open(tl, in->tree, event))
        details_put(d, &d->left, ROLE_ERROR, "  %s",
                    goes_on ? trace_open_words(tl->trace)
                    : lasts ? "no end in the trace"
                            : "its end is missing: shown up to the next");
    else if (goes_on && event.kind->steps)
        details_put(d, &d->left, ROLE_ERROR, "  %s", trace_open_words(tl->trace));
}

int details_left_width(const struct details_input *in)
{
    const struct event_kind *kind = in->cursor.event.kind;
    return in->width - 3 - (kind && kind->add_beside ? details_beside_width(in->width) : 0);
}

/* Every ancestor on a line of its own, outermost first; each leads there. */
void details_put_ancestors(struct details *d, const struct timeline *tl, uint32_t slice)
{
    enum { ANCESTORS_MAX = 64 };
    uint32_t chain[ANCESTORS_MAX];
    int n = 0;
    for (uint32_t p = slice_parent(tl, slice);
         p < tl->trace->tables.slice.rows && n < ANCESTORS_MAX; p = slice_parent(tl, p))
        chain[n++] = p;
    for (int i = n - 1; i >= 0; i--) {
        char dur[32];
        format_dur_short(dur, sizeof dur,
                         time_minus(slice_end_ts(tl, chain[i]), slice_ts(tl, chain[i])));
        details_line(d, &d->left, event_of(&slice_events, chain[i]));
        details_put(d, &d->left, ROLE_KEY, "%-3s%*s", i == n - 1 ? "in" : "", n - 1 - i, "");
        details_put_slice(d, &d->left, ROLE_LINK, tl, chain[i]);
        details_put(d, &d->left, ROLE_DIM, "  %s", dur);
    }
}

void details_put_inside(struct details *d, const struct timeline *tl, uint32_t utid, int64_t t)
{
    uint32_t slice = timeline_innermost(tl, utid, t);
    if (slice == NULL_U32)
        return;
    details_line(d, &d->left, event_of(&slice_events, slice));
    details_put(d, &d->left, ROLE_KEY, "within ");
    details_put_slice(d, &d->left, ROLE_LINK, tl, slice);
    details_put_ancestors(d, tl, slice);
}

/* A function's name, and where its code or its source is. */
static void put_frame(struct details *d, int depth, struct str name, struct str file, uint32_t line)
{
    details_line(d, &d->left, NO_EVENT);
    details_put(d, &d->left, ROLE_DIM, "%3d ", depth);
    details_put_name(d, &d->left, ROLE_VALUE, name.n ? name : STR("[unknown]"));
    if (file.n)
        details_put(d, &d->left, ROLE_DIM, "  %.*s", (int)(file.n < 400 ? file.n : 400), file.p);
    if (line != NULL_U32)
        details_put(d, &d->left, ROLE_DIM, ":%u", line);
}

/* The functions in source that a frame stands for; false where they are not known. */
static bool put_symbols(struct details *d, const struct timeline *tl, uint32_t frame, int *depth)
{
    const struct table *frames = &tl->trace->tables.stack_profile_frame;
    const struct table *symbols = &tl->trace->tables.stack_profile_symbol;
    uint32_t set = table_u32(frames, stack_profile_frame_col_symbol_set_id)[frame];
    const uint32_t *sets = table_u32(symbols, stack_profile_symbol_col_symbol_set_id);
    if (set == NULL_U32)
        return false;
    uint32_t i = BISECT(mid, 0, symbols->rows, sets[mid] < set);
    if (i >= symbols->rows || sets[i] != set)
        return false;
    for (; i < symbols->rows && sets[i] == set; i++)
        put_frame(d, (*depth)++,
                  timeline_str(tl, column_str(&symbols->columns[stack_profile_symbol_col_name], i)),
                  timeline_str(tl,
                               column_str(&symbols->columns[stack_profile_symbol_col_source_file],
                                          i)),
                  table_u32(symbols, stack_profile_symbol_col_line_number)[i]);
    return true;
}

void details_put_callstack(struct details *d, const struct timeline *tl, uint32_t callsite)
{
    enum { FRAMES_MAX = 400 };
    const struct tables *t = &tl->trace->tables;
    int depth = 0;
    while (callsite < t->stack_profile_callsite.rows && depth < FRAMES_MAX) {
        uint32_t frame =
            table_u32(&t->stack_profile_callsite, stack_profile_callsite_col_frame_id)[callsite];
        uint32_t parent =
            table_u32(&t->stack_profile_callsite, stack_profile_callsite_col_parent_id)[callsite];
        bool known = frame < t->stack_profile_frame.rows;
        uint32_t mapping = NULL_U32;
        struct str file = {"", 0};
        if (known)
            mapping = table_u32(&t->stack_profile_frame, stack_profile_frame_col_mapping)[frame];
        if (mapping < t->stack_profile_mapping.rows)
            file = timeline_str(
                tl, column_str(&t->stack_profile_mapping.columns[stack_profile_mapping_col_name],
                               mapping));
        if (!known || !put_symbols(d, tl, frame, &depth))
            put_frame(d, depth++, timeline_callsite_name(tl, callsite), file, NULL_U32);
        callsite = parent;
    }
}

void details_put_arg(struct details *d, const struct timeline *tl, const struct arg *a)
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
    case ARG_JSON: {
        struct str text = timeline_str(tl, a->s);
        while (text.n > 0 && text.p[text.n - 1] == '\n') /* that of each line of a marker */
            text.n--;
        details_put_name(d, &d->left, ROLE_VALUE, text);
        break;
    }
    }
}

struct row_list details_same_name(const struct details_input *in)
{
    if (in->cursor.event.kind != &slice_events)
        return (struct row_list){0};
    return timeline_same_name(in->tl, slice_u32(in->tl, in->cursor.event.row, slice_col_name));
}

uint32_t details_rank(const struct timeline *tl, struct row_list same, uint32_t slice)
{
    int64_t dur = time_minus(slice_end_ts(tl, slice), slice_ts(tl, slice));
    uint32_t lo =
        BISECT(mid, 0, same.count,
               time_minus(slice_end_ts(tl, same.rows[mid]), slice_ts(tl, same.rows[mid])) > dur);
    return lo + 1;
}

static void put_arrow(struct details *d, const struct details_input *in, struct event_ref other,
                      const char *label)
{
    char name[256];
    uint32_t node = track_tree_node(in->tree, in->tl, other);
    event_name(in->tl, in->tree, other, name, sizeof name);
    details_line(d, &d->left, other);
    details_put(d, &d->left, ROLE_KEY, "%s ", label);
    details_put(d, &d->left, ROLE_LINK, "%s", name);
    if (node != NO_NODE)
        details_put(d, &d->left, ROLE_DIM, " on %s", in->tree->nodes.items[node].label);
}

void details_put_arrows(struct details *d, const struct details_input *in)
{
    enum { ARROWS_MAX = 16 };
    for (int enters = 0; enters < 2; enters++) {
        struct arrow_range range = arrows_of(&in->tree->arrows, in->cursor.event, enters);
        for (size_t i = 0; i < range.count && i < ARROWS_MAX; i++) {
            const struct arrow *arrow = arrows_at(&in->tree->arrows, enters, range.first + i);
            put_arrow(d, in, enters ? arrow->from : arrow->to, enters ? "[  from" : "]  to");
        }
    }
}
