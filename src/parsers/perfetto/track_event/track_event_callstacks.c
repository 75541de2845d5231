#include "parsers/perfetto/track_event/track_event_callstacks.h"

#include "parsers/perfetto/profile/callstack.h"
#include "parsers/perfetto/track_event/track_event_import.h"
#include "pb_fields.h"
#include "core/store/rows.h"

void track_event_add_callstack(struct import *im, const struct track_event *e, uint32_t slice,
                               bool ends)
{
    struct trace *t = im->trace;
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
    struct track_event_callstacks_row row = track_event_callstacks_row_null();
    row.slice_id = slice;
    row.track_id = table_u32(&t->tables.slice, slice_col_track_id)[slice];
    if (ends)
        row.end_callsite_id = callsite;
    else
        row.callsite_id = callsite;
    uint32_t id = track_event_callstacks_append(&t->tables.track_event_callstacks, &row);
    if (e->has_callstack_weight)
        table_set_f64(&t->tables.track_event_callstacks, track_event_callstacks_col_weight, id,
                      e->callstack_weight);
}
