#include "out.h"

#include <errno.h>
#include <stdlib.h>
#include <zlib.h>

#include "base/alloc.h"
#include "pb_fields.h"

enum { BATCH_SIZE = 128 * 1024 };

void out_init(struct out *o, FILE *file, bool compress)
{
    *o = (struct out){.file = file, .compress = compress};
}

static void out_write(struct out *o, const struct proto *w)
{
    o->bytes += w->size;
    if (o->failed || fwrite(w->data, 1, w->size, o->file) == w->size)
        return;
    o->failed = true;
    o->error = errno;
}

static void out_write_batch(struct out *o)
{
    if (o->batch.size == 0)
        return;
    uLongf size = compressBound((uLong)o->batch.size);
    uint8_t *deflated = alloc_bytes(size);
    if (compress2(deflated, &size, o->batch.data, (uLong)o->batch.size, 6) != Z_OK) {
        o->failed = true;
        o->error = EIO;
    }
    struct proto w = {0};
    proto_begin(&w, PB_Trace_packet);
    proto_bytes(&w, PB_TracePacket_compressed_packets, deflated, size);
    proto_end(&w);
    out_write(o, &w);
    proto_release(&w);
    free(deflated);
    proto_clear(&o->batch);
}

void out_release(struct out *o)
{
    out_write_batch(o);
    if (!o->failed && fflush(o->file) != 0) {
        o->failed = true;
        o->error = errno;
    }
    proto_release(&o->packet);
    proto_release(&o->batch);
}

struct proto *out_begin(struct out *o)
{
    proto_clear(&o->packet);
    proto_begin(&o->packet, PB_Trace_packet);
    return &o->packet;
}

void out_end(struct out *o, uint32_t sequence, int uid, int pid)
{
    struct proto *w = &o->packet;
    proto_i64(w, PB_TracePacket_trusted_uid, uid);
    proto_u64(w, PB_TracePacket_trusted_packet_sequence_id, sequence);
    if (pid)
        proto_i64(w, PB_TracePacket_trusted_pid, pid);
    proto_end(w);
    if (!o->compress) {
        out_write(o, w);
        return;
    }
    proto_raw(&o->batch, w->data, w->size);
    if (o->batch.size >= BATCH_SIZE)
        out_write_batch(o);
}
