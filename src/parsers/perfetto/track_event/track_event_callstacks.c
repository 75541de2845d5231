#include "parsers/perfetto/track_event/track_event_callstacks.h"

#include "parsers/perfetto/profile/callstack.h"
#include "parsers/perfetto/track_event/track_event_import.h"
#include "pb_fields.h"

struct event_callstacks {
    struct map rows; /* slice -> row of track_event_callstacks */
};

static void event_callstacks_release(void *state)
{
    struct event_callstacks *c = state;
    map_release(&c->rows);
}

static const struct import_state_kind event_callstacks_kind = {
    .size = sizeof(struct event_callstacks),
    .release = event_callstacks_release,
};

static uint32_t row_of(struct import *im, uint32_t slice)
{
    struct event_callstacks *c = import_state(im, &event_callstacks_kind);
    struct trace *t = im->trace;
    bool inserted;
    uint32_t *at = map_insert(&c->rows, slice, &inserted);
    if (inserted) {
        struct track_event_callstacks_row row = track_event_callstacks_row_null();
        row.slice_id = slice;
        row.track_id = table_u32(&t->tables.slice, slice_col_track_id)[slice];
        *at = track_event_callstacks_append(&t->tables.track_event_callstacks, &row);
    }
    return *at;
}

void track_event_add_callstack(struct import *im, const struct track_event *e, uint32_t slice,
                               bool ends)
{
    struct table *table = &im->trace->tables.track_event_callstacks;
    uint32_t callsite = NULL_U32;
    if (e->has_callstack_iid)
        callsite =
            callstack_find(im, e->generation->interned, NULL, e->upid, e->callstack_iid, NULL);
    else if (e->callstack.data)
        callsite =
            callstack_inline(im, (struct bytes){e->callstack.data, (size_t)e->callstack.value},
                             STR("track_event_inline"));
    else
        return;
    if (callsite == NULL_U32) {
        if (e->has_callstack_iid)
            stats_count(im->trace, STAT_track_event_parser_errors);
        return;
    }
    uint32_t row = row_of(im, slice);
    table_set_u32(table,
                  ends ? track_event_callstacks_col_end_callsite_id
                       : track_event_callstacks_col_callsite_id,
                  row, callsite);
    if (e->has_callstack_weight)
        table_set_f64(table, track_event_callstacks_col_weight, row, e->callstack_weight);
}
