#include "parsers/perfetto/packets/inflate_ahead.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/arena.h"
#include "parsers/input/decompress.h"
#include "parsers/input/input_file.h"
#include "parsers/proto/wire.h"
#include "pb_fields.h"

/* So many packets ahead, of which none becomes more than writers make at once; what is smaller than
 * a load's startup takes no thread. */
enum { AHEAD = 16, INFLATED_MAX = 2 << 20, TRACE_LEAST = 4 << 20 };

struct inflated {
    const uint8_t *packed;
    struct bytes bytes;
};

struct inflate_ahead {
    struct bytes trace;
    struct input_guard *guard; /* of the thread that reads */
    struct arena arena;        /* the thread's until it has ended */
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    struct inflated ring[AHEAD];
    size_t first, count;
    bool ended;       /* nothing more comes */
    atomic_bool stop; /* nothing more is wanted; set with the lock */
};

/* The compressed payload of a packet, which is all that it has. */
static struct bytes packed_in(struct bytes packet, enum compression *kind)
{
    struct pb_reader r = bytes_reader(packet);
    struct pb_field f;
    struct bytes none = {0};
    if (!pb_next(&r, &f))
        return none;
    *kind = f.number == PB_TracePacket_compressed_packets ? COMPRESSION_ZLIB : COMPRESSION_ZSTD;
    bool is_packed = f.number == PB_TracePacket_compressed_packets ||
                     f.number == PB_TracePacket_zstd_compressed_packets;
    return is_packed ? field_bytes(&f) : none;
}

/* False where nothing more is wanted. */
static bool put(struct inflate_ahead *a, struct inflated next)
{
    pthread_mutex_lock(&a->lock);
    while (a->count == AHEAD && !atomic_load(&a->stop))
        pthread_cond_wait(&a->changed, &a->lock);
    bool goes_on = !atomic_load(&a->stop);
    a->ring[(a->first + a->count) % AHEAD] = next;
    a->count += goes_on;
    pthread_cond_signal(&a->changed);
    pthread_mutex_unlock(&a->lock);
    return goes_on;
}

static bool inflate(struct inflate_ahead *a, enum compression kind, struct bytes packed)
{
    struct decompressed d = decompress(kind, packed, INFLATED_MAX, NULL, NULL);
    bool goes_on = true;
    if (d.whole && d.n > 0) {
        uint8_t *copy = arena_alloc_bytes(&a->arena, d.n);
        memcpy(copy, d.p, d.n);
        goes_on = put(a, (struct inflated){packed.p, {copy, d.n}});
    }
    free(d.p);
    return goes_on;
}

static void *run(void *self)
{
    struct inflate_ahead *a = self;
    struct pb_reader r = bytes_reader(a->trace);
    struct pb_field f;
    bool goes_on = true;
    input_guard_join(a->guard);
    while (goes_on && !atomic_load(&a->stop) && pb_next(&r, &f)) {
        enum compression kind;
        struct bytes packed =
            f.number == PB_Trace_packet ? packed_in(field_bytes(&f), &kind) : (struct bytes){0};
        if (packed.n > 0)
            goes_on = inflate(a, kind, packed);
    }
    pthread_mutex_lock(&a->lock);
    a->ended = true;
    pthread_cond_signal(&a->changed);
    pthread_mutex_unlock(&a->lock);
    return NULL;
}

static void release(struct inflate_ahead *a)
{
    arena_release(&a->arena);
    pthread_cond_destroy(&a->changed);
    pthread_mutex_destroy(&a->lock);
    free(a);
}

struct inflate_ahead *inflate_ahead_start(struct bytes trace)
{
    if (trace.n < TRACE_LEAST)
        return NULL;
    struct inflate_ahead *a = alloc_array(1, sizeof *a);
    a->trace = trace;
    a->guard = input_guard_here();
    arena_init(&a->arena);
    pthread_mutex_init(&a->lock, NULL);
    pthread_cond_init(&a->changed, NULL);
    if (input_guard_thread(&a->thread, run, a))
        return a;
    release(a);
    return NULL;
}

bool inflate_ahead_take(struct inflate_ahead *a, struct bytes packed, struct bytes *out)
{
    bool found = false;
    pthread_mutex_lock(&a->lock);
    while (!found && (a->count > 0 || !a->ended)) {
        const struct inflated *next = &a->ring[a->first];
        if (a->count == 0) {
            pthread_cond_wait(&a->changed, &a->lock);
            continue;
        }
        if (next->packed > packed.p)
            break;
        found = next->packed == packed.p;
        *out = next->bytes;
        a->first = (a->first + 1) % AHEAD;
        a->count--;
        pthread_cond_signal(&a->changed);
    }
    pthread_mutex_unlock(&a->lock);
    return found;
}

void inflate_ahead_end(struct inflate_ahead *a)
{
    if (!a)
        return;
    pthread_mutex_lock(&a->lock);
    atomic_store(&a->stop, true);
    pthread_cond_signal(&a->changed);
    pthread_mutex_unlock(&a->lock);
    pthread_join(a->thread, NULL);
    release(a);
}
