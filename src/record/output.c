#include "record/output.h"

#include <errno.h>
#include <libdeflate.h>
#include <poll.h>
#include <unistd.h>

#include "pb_fields.h"

enum { COMPRESSION_LEVEL = 3, FLUSH_BYTES = 128 << 10, STRETCHES_LEAST = 6 };

int write_whole(int fd, const void *p, size_t n, size_t *written)
{
    const uint8_t *bytes = p;
    *written = 0;
    while (*written < n) {
        ssize_t k = write(fd, bytes + *written, n - *written);
        if (k >= 0) {
            *written += (size_t)k;
        } else if (errno == EAGAIN) { /* a pipe that somebody made so */
            struct pollfd ready = {.fd = fd, .events = POLLOUT};
            poll(&ready, 1, -1);
        } else if (errno != EINTR) {
            return errno;
        }
    }
    return 0;
}

void record_output_packet(struct record_output *o, const struct pb_bytes *fields, uint32_t field,
                          const struct pb_bytes *message)
{
    size_t head = message ? pb_tag_size(field) + pb_varint_size(message->v.count) : 0;
    pb_put_tag(&o->pending, PB_Trace_packet, PB_WIRE_LEN);
    pb_put_varint(&o->pending, fields->v.count + head + (message ? message->v.count : 0));
    pb_put_raw(&o->pending, fields->v.items, fields->v.count);
    if (message)
        pb_put_message(&o->pending, field, message);
    if (o->pending.v.count >= FLUSH_BYTES)
        record_output_flush(o);
}

/* What is pending as one packet `compressed_packets`, which holds a zlib stream. */
static void pack(struct record_output *o)
{
    struct libdeflate_compressor *c = libdeflate_alloc_compressor(COMPRESSION_LEVEL);
    if (!c)
        alloc_fail();
    size_t most = libdeflate_zlib_compress_bound(c, o->pending.v.count);
    struct pb_bytes stream = {0}, packet = {0};
    vec_reserve(&stream.v, most);
    stream.v.count = libdeflate_zlib_compress(c, o->pending.v.items, o->pending.v.count,
                                              stream.v.items, stream.v.cap);
    libdeflate_free_compressor(c);
    pb_put_message(&packet, PB_TracePacket_compressed_packets, &stream);
    o->packed.v.count = 0;
    pb_put_message(&o->packed, PB_Trace_packet, &packet);
    pb_bytes_release(&stream);
    pb_bytes_release(&packet);
    o->pending.v.count = 0;
}

/* How many of the first `n` bytes are whole packets. */
static size_t whole_packets(const struct pb_bytes *b, size_t n)
{
    struct pb_reader r = pb_reader_from(b->v.items, b->v.count);
    struct pb_field f;
    size_t whole = 0;
    while (pb_next(&r, &f) && (size_t)(r.p - b->v.items) <= n)
        whole = (size_t)(r.p - b->v.items);
    return whole;
}

static void write_out(struct record_output *o, const struct pb_bytes *b)
{
    size_t n;
    if (o->error)
        return;
    o->error = write_whole(o->fd, b->v.items, b->v.count, &n);
    o->written += o->error ? whole_packets(b, n) : n;
    if (o->error && ftruncate(o->fd, (off_t)o->written) != 0)
        return; /* no regular file: a reader sees the end of what it got */
}

void record_output_flush(struct record_output *o)
{
    if (o->pending.v.count == 0)
        return;
    struct pb_bytes *whole = &o->pending;
    if (o->compress) {
        pack(o);
        whole = &o->packed;
    }
    if (o->fd >= 0) {
        write_out(o, whole);
    } else {
        struct record_stretch *last = &vec_last(&o->ring);
        pb_put_raw(&last->packets, whole->v.items, whole->v.count);
        o->ring_bytes += whole->v.count;
    }
    whole->v.count = 0;
}

static void drop_oldest(struct record_output *o)
{
    o->ring_bytes -= o->ring.items[0].packets.v.count;
    pb_bytes_release(&o->ring.items[0].packets);
    memmove(o->ring.items, o->ring.items + 1, --o->ring.count * sizeof *o->ring.items);
}

void record_output_stretch(struct record_output *o, int64_t now_ns, int64_t keep_from_ns,
                           size_t most)
{
    if (o->ring.count > 0)
        record_output_flush(o);
    o->stretch_most = most / STRETCHES_LEAST;
    while (o->ring.count > 1 &&
           (o->ring.items[1].begin_ns <= keep_from_ns || o->ring_bytes > most - o->stretch_most))
        drop_oldest(o);
    *vec_push(&o->ring) = (struct record_stretch){.begin_ns = now_ns};
}

bool record_output_is_full(const struct record_output *o)
{
    return o->stretch_most > 0 && o->ring.count > 0 &&
           vec_last(&o->ring).packets.v.count >= o->stretch_most;
}

int record_output_write_ring(struct record_output *o, int fd)
{
    record_output_flush(o);
    for (size_t i = 0; i < o->ring.count; i++) {
        const struct pb_bytes *b = &o->ring.items[i].packets;
        size_t n;
        int error = write_whole(fd, b->v.items, b->v.count, &n);
        if (error)
            return error;
    }
    return 0;
}

void record_output_release(struct record_output *o)
{
    for (size_t i = 0; i < o->ring.count; i++)
        pb_bytes_release(&o->ring.items[i].packets);
    vec_release(&o->ring);
    pb_bytes_release(&o->pending);
    pb_bytes_release(&o->packed);
}
