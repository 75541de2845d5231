/* Lines of logs: rows of the table logs, on a track for each log. */
#include <stdio.h>

#include "base/map.h"
#include "text/time.h"
#include "tui/view/debug_track.h"
#include "tui/view/details_parts.h"
#include "tui/view/draw_events.h"
#include "text/time_format.h"
#include "tui/view/track_tree.h"

enum { LABEL_MAX = 96 };

static const struct table *logs(const struct timeline *tl)
{
    return &tl->trace->tables.logs;
}

static struct str log_text(const struct timeline *tl, uint32_t row, uint32_t column)
{
    return timeline_str(tl, column_str(&logs(tl)->columns[column], row));
}

static uint32_t table_row(const struct track_tree *tree, uint32_t debug, uint32_t row)
{
    return tree->debug.items[debug]->rows.items[row];
}

static struct debug_track *new_track(const struct timeline *tl, uint32_t row)
{
    struct str source = log_text(tl, row, logs_col_log_source);
    char label[LABEL_MAX];
    snprintf(label, sizeof label, "%.*s",
             source.n ? (int)(source.n < LABEL_MAX ? source.n : LABEL_MAX) : 4,
             source.n ? source.p : "logs");
    return debug_track_new(label, &log_events);
}

static void add_log_tracks(struct tree_builder *b, const struct timeline *tl)
{
    struct map by_source = {0};
    VEC(struct debug_track *) made = {0};
    for (uint32_t i = 0; i < logs(tl)->rows; i++) {
        bool is_new;
        string_id source = column_str(&logs(tl)->columns[logs_col_log_source], i);
        uint32_t *at = map_insert(&by_source, source, &is_new);
        if (is_new) {
            *at = (uint32_t)made.count;
            *vec_push(&made) = new_track(tl, i);
        }
        debug_track_add_row(made.items[*at], table_i64(logs(tl), logs_col_ts)[i], 0, i);
    }
    for (size_t i = 0; i < made.count; i++) {
        debug_track_finish(made.items[i], tl->end);
        track_tree_add_own(b, "Logs", made.items[i]);
    }
    map_release(&by_source);
    vec_release(&made);
}

static void print_log_name(const struct timeline *tl, const struct track_tree *tree,
                           struct event_ref e, char *out, size_t size)
{
    struct str msg = log_text(tl, table_row(tree, e.debug, e.row), logs_col_msg);
    str_copy(msg, out, size);
}

static bool paint_log(const struct scene *s, const struct event_source *source, uint32_t row,
                      struct event_paint *out)
{
    uint32_t at = table_row(s->tree, source->debug, row);
    uint32_t prio = table_u32(logs(s->tl), logs_col_prio)[at];
    out->label = log_text(s->tl, at, logs_col_tag);
    out->role = out->label_role = prio >= 6   ? ROLE_FRAME_JANK
                                  : prio == 5 ? ROLE_FRAME_OTHER
                                  : prio == 4 ? ROLE_FRAME_GOOD
                                              : ROLE_FRAME_LOST;
    return true;
}

static void add_log_details(struct details *d, const struct details_input *in)
{
    const struct timeline *tl = in->tl;
    uint32_t row = table_row(in->tree, in->cursor.event.debug, in->cursor.event.row);
    uint32_t prio = table_u32(logs(tl), logs_col_prio)[row];
    uint32_t utid = table_u32(logs(tl), logs_col_utid)[row];
    char at[64];
    details_line(d, &d->left, NO_EVENT);
    details_put(d, &d->left, prio >= 6 ? ROLE_ERROR : ROLE_STRONG, "%c ",
                prio < 8 ? "??VDIWEF"[prio] : '?');
    details_put_name(d, &d->left, ROLE_KEY, log_text(tl, row, logs_col_tag));
    details_line(d, &d->left, NO_EVENT);
    details_put_name(d, &d->left, ROLE_VALUE, log_text(tl, row, logs_col_msg));
    format_exact(at, sizeof at, time_minus(table_i64(logs(tl), logs_col_ts)[row], tl->start));
    details_line(d, &d->left, NO_EVENT);
    details_put(d, &d->left, ROLE_KEY, "at ");
    details_put(d, &d->left, ROLE_VALUE, "%s", at);
    if (utid < tl->trace->tables.thread.rows) {
        details_put(d, &d->left, ROLE_KEY, "   thread ");
        details_put_thread(d, &d->left, tl, utid);
        details_put_process(d, &d->left, tl, timeline_upid(tl, utid), details_left_width(in));
    }
    details_put(d, &d->left, ROLE_DIM, "   8: the lines around it");
}

const struct event_kind log_events = {
    .shows = (const char *const[]){"logs", NULL},
    .title = "Log line",
    .add_tracks = add_log_tracks,
    .lanes = debug_track_lanes,
    .lane = debug_track_lane,
    .print_name = print_log_name,
    .draw = draw_bars,
    .paint = paint_log,
    .add_details = add_log_details,
};
