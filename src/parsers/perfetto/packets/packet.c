#include "parsers/perfetto/packets/packet.h"

#include "parsers/perfetto/packets/import.h"
#include "parsers/perfetto/packets/sequence.h"
#include "parsers/proto/wire.h"
#include "pb_fields.h"

int64_t packet_writer(const struct packet *p)
{
    struct pb_field f = pb_last(bytes_reader(p->data), PB_TracePacket_trusted_pid);
    return pb_i32(&f);
}

struct packet *packet_keep(struct import *im, const struct packet *p)
{
    struct packet *copy = arena_alloc(&im->arena, sizeof *copy);
    *copy = *p;
    return copy;
}

int64_t packet_offset(const struct import *im, const struct packet *p)
{
    bool in_file = p->data.p >= im->input.p && p->data.p <= im->input.p + im->input.n;
    return in_file ? p->data.p - im->input.p : -1;
}

void packet_log(struct import *im, const struct packet *p, enum stat_key key,
                const struct arg_list *args)
{
    import_log_in_file(im->trace, key, packet_offset(im, p), args);
}

static void log_number(struct import *im, const struct packet *p, enum stat_key key,
                       struct str name, uint64_t number)
{
    struct arg_list args = {0};
    arg_list_uint(&args, trace_intern(im->trace, name), number);
    packet_log(im, p, key, &args);
    arg_list_release(&args);
}

void packet_log_sequence(struct import *im, const struct packet *p, enum stat_key key)
{
    log_number(im, p, key, STR("packet_sequence_id"), p->sequence->id);
}

void packet_log_track(struct import *im, const struct packet *p, enum stat_key key, uint64_t uuid)
{
    log_number(im, p, key, STR("track_uuid"), uuid);
}

void packet_log_time(struct import *im, const struct packet *p, enum stat_key key,
                     const struct arg_list *args)
{
    import_log_at(im->trace, key, p->ts, args);
}
