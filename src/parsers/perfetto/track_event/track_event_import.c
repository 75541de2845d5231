#include "parsers/perfetto/track_event/track_event_import.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "parsers/perfetto/track_event/track_event_args.h"

void track_event_import_init(struct import *im)
{
    struct track_event_import *te = alloc_array(1, sizeof *te);
#define K(name, text) te->keys.name = trace_intern_c(im->trace, text);
    TRACK_EVENT_KEYS(K)
#undef K
    im->track_event = te;
}

void track_event_import_release(struct import *im)
{
    struct track_event_import *te = im->track_event;
    if (!te)
        return;
    for (size_t i = 0; i < im->sequence_list.count; i++)
        track_event_sequence_release(im->sequence_list.items[i]);
    track_event_reflect_release(im);
    for (size_t i = 0; i < te->generations.count; i++) {
        vec_release(&te->generations.items[i].names);
        vec_release(&te->generations.items[i].categories);
    }
    vec_release(&te->generations);
    vec_release(&te->tracks);
    map_release(&te->tracks_by_uuid);
    map_release(&te->track_of_utid);
    map_release(&te->track_of_upid);
    map_release(&te->async_names);
    translations_release(&te->translations);
    arg_list_release(&te->args);
    arg_list_release(&te->track_args);
    vec_release(&te->text);
    free(te);
    im->track_event = NULL;
}
