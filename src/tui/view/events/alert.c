/* Alerts: what rules find wrong, coloured by level, each leading to the event that it is about. */
#include "tui/view/debug_track.h"
#include "tui/view/details_parts.h"
#include "tui/view/draw_events.h"
#include "tui/view/track_tree.h"

static bool paint_alert(const struct scene *s, const struct event_source *source, uint32_t row,
                        struct event_paint *out)
{
    const struct debug_track *d = s->tree->debug.items[source->debug];
    struct str level = row < d->colours.count ? d->colours.items[row] : STR("");
    out->label = d->names.items[row];
    out->role = out->label_role = str_eq(level, STR("error"))     ? ROLE_FRAME_JANK
                                  : str_eq(level, STR("warning")) ? ROLE_FRAME_OTHER
                                                                  : ROLE_FRAME_SMOOTH;
    return true;
}

static int64_t number_in(struct result_reader *r, uint32_t row, const char *column)
{
    int i = result_column(r->result, column);
    struct sql_value v = {.type = SQL_NULL};
    if (i >= 0)
        v = result_read(r, row, (uint32_t)i);
    return v.type == SQL_INT ? v.i : -1;
}

/* The event that the alert is; none where it is about none. */
static struct event_ref event_meant(const struct timeline *tl, struct result_reader *r,
                                    uint32_t row)
{
    int column = result_column(r->result, "ref");
    int64_t id = number_in(r, row, "ref_id");
    if (column < 0 || id < 0)
        return NO_EVENT;
    struct sql_value ref = result_read(r, row, (uint32_t)column);
    const struct event_kind *kind = ref.type == SQL_TEXT ? event_kind_find(ref.s) : NULL;
    return kind && id < kind->count(tl) ? event_of(kind, (uint32_t)id) : NO_EVENT;
}

static void add_alert_details(struct details *d, const struct details_input *in)
{
    struct event_ref alert = in->cursor.event;
    struct event_span span = event_times(in->tl, in->tree, alert);
    const struct debug_track *track = in->tree->debug.items[alert.debug];
    struct str level = alert.row < track->colours.count ? track->colours.items[alert.row] : STR("");
    details_line(d, &d->left, NO_EVENT);
    details_put_name(d, &d->left, ROLE_STRONG, track->names.items[alert.row]);
    details_put_times(d, in->tl, span.ts, span.end);
    details_line(d, &d->left, NO_EVENT);
    details_put(d, &d->left, ROLE_KEY, "alert of level ");
    details_put_name(d, &d->left, str_eq(level, STR("error")) ? ROLE_ERROR : ROLE_VALUE, level);
    if (!track->result || alert.row >= track->rows.count)
        return;
    struct result_reader reader = {.result = track->result};
    uint32_t row = track->rows.items[alert.row];
    struct event_ref event = event_meant(in->tl, &reader, row);
    int64_t utid = number_in(&reader, row, "utid"), upid = number_in(&reader, row, "upid");
    if (event.kind) {
        char name[200];
        event_name(in->tl, in->tree, event, name, sizeof name);
        details_line(d, &d->left, event);
        details_put(d, &d->left, ROLE_KEY, "it is ");
        details_put(d, &d->left, ROLE_LINK, "%s %u, %s", event.kind->name, event.row, name);
    }
    bool of_thread = utid >= 0 && utid < in->tl->trace->tables.thread.rows;
    if (of_thread) {
        details_line(d, &d->left, NO_EVENT);
        details_put(d, &d->left, ROLE_KEY, "thread ");
        details_put_thread(d, &d->left, in->tl, (uint32_t)utid);
    }
    if (upid < 0 || upid >= in->tl->trace->tables.process.rows)
        return;
    if (!of_thread)
        details_line(d, &d->left, NO_EVENT);
    details_put_process(d, &d->left, in->tl, (uint32_t)upid, details_left_width(in));
}

const struct event_kind alert_events = {
    .title = "Alert",
    .lanes = debug_track_lanes,
    .lane = debug_track_lane,
    .print_name = debug_track_print_name,
    .draw = draw_bars,
    .paint = paint_alert,
    .add_details = add_alert_details,
};
