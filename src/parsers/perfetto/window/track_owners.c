#include "parsers/perfetto/window/track_owners.h"

#include "parsers/perfetto/track_event/track_event_import.h"

static struct track_owner owner_of(struct import *im, uint32_t track)
{
    struct track_ancestry way = descriptor_track_ancestry(im, track);
    struct track_owner owner = {.is_broken = !way.is_whole, .pid = NO_PID, .tid = NO_PID};
    if (way.owned == NULL_U32)
        return owner;
    struct descriptor_track d = *track_event_track(im, way.owned);
    descriptor_outer_ids(im, &d);
    owner.of_thread = d.tid != NO_PID;
    owner.of_process = d.pid != NO_PID;
    owner.is_thread = owner.of_thread && way.owned == track && !d.separate;
    owner.pid = d.pid;
    owner.tid = d.tid;
    return owner;
}

void track_owners_read(struct track_owners *o, struct import *im)
{
    const struct track_event_import *te = im->track_event;
    for (uint32_t i = 0; i < te->tracks.count; i++) { /* parents may be added meanwhile */
        const struct descriptor_track *d = track_event_track(im, i);
        map_set(&o->by_uuid, descriptor_track_key(d->machine, d->uuid), i);
        *vec_push(&o->tracks) = owner_of(im, i);
    }
}

struct track_owner track_owner_of(const struct track_owners *o, const struct descriptor_track *d)
{
    const uint32_t *at = map_find(&o->by_uuid, descriptor_track_key(d->machine, d->uuid));
    return at ? o->tracks.items[*at] : (struct track_owner){.pid = NO_PID, .tid = NO_PID};
}

void track_owners_release(struct track_owners *o)
{
    map_release(&o->by_uuid);
    vec_release(&o->tracks);
}
