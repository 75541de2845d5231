#include "parsers/perfetto/packets/import.h"

#include <stdlib.h>

#include <zlib.h>
#include <zstd.h>

#include "base/alloc.h"
#include "parsers/perfetto/packets/clock.h"
#include "parsers/perfetto/packets/patches.h"
#include "parsers/perfetto/packets/sequence.h"
#include "parsers/proto/descriptors.h"

/* Writers compress at most half a MB at once; what a trace of compressed zeros would take in memory
 * is bounded by its size. */
enum { INFLATED_MAX = 64 << 20, INFLATED_RATIO_MAX = 64 };

void import_init(struct import *im, struct trace *t, struct bytes data)
{
    *im = (struct import){.trace = t,
                          .input = data,
                          .tracing_started_ts = INT64_MIN,
                          .data_sources_started_ts = INT64_MIN};
    arena_init(&im->arena);
    arena_init(&im->unpacked);
    im->clocks = clock_tracker_new();
}

void import_release(struct import *im)
{
    for (size_t i = 0; i < im->states.count; i++) {
        if (im->states.items[i].kind->release)
            im->states.items[i].kind->release(im->states.items[i].state);
        free(im->states.items[i].state);
    }
    vec_release(&im->states);
    vec_release(&im->deferred);
    sorter_release(&im->sorter);
    sequences_release(im);
    patches_release(im);
    clock_tracker_free(im->clocks);
    map_release(&im->machines);
    arena_release(&im->arena);
    arena_release(&im->unpacked);
}

void *import_state(struct import *im, const struct import_state_kind *kind)
{
    for (size_t i = 0; i < im->states.count; i++)
        if (im->states.items[i].kind == kind)
            return im->states.items[i].state;
    void *state = alloc_array(1, kind->size);
    *vec_push(&im->states) = (struct import_state_entry){kind, state};
    return state;
}

void import_finish_states(struct import *im)
{
    for (size_t i = 0; i < im->states.count; i++)
        if (im->states.items[i].kind->finish)
            im->states.items[i].kind->finish(im, im->states.items[i].state);
}

static void decode_nothing(void *self, uint32_t context, const uint8_t *payload, size_t n,
                           struct arg_list *out)
{
    (void)self, (void)context, (void)payload, (void)n, (void)out;
}

static void free_descriptors(void *self)
{
    descriptors_release(self);
    free(self);
}

struct descriptors *import_descriptors(struct import *im)
{
    if (im->descriptors)
        return im->descriptors;
    im->descriptors = alloc_array(1, sizeof *im->descriptors);
    descriptors_init(im->descriptors);
    args_add_decoder(&im->trace->args, (struct args_decoder){.decode = decode_nothing,
                                                             .free = free_descriptors,
                                                             .self = im->descriptors});
    return im->descriptors;
}

/* How much the next compressed packet may become. */
static size_t inflated_room(const struct import *im)
{
    size_t most;
    if (__builtin_mul_overflow(im->input.n, (size_t)INFLATED_RATIO_MAX, &most) ||
        __builtin_add_overflow(most, (size_t)INFLATED_MAX, &most))
        most = SIZE_MAX;
    size_t left = im->inflated < most ? most - im->inflated : 0;
    return left < INFLATED_MAX ? left : INFLATED_MAX;
}

/* Copies what was inflated to memory that lasts. */
static struct bytes keep_inflated(struct import *im, const uint8_t *data, size_t n)
{
    im->inflated += n;
    uint8_t *copy = arena_alloc_bytes(&im->arena, n);
    if (n)
        memcpy(copy, data, n);
    return (struct bytes){copy, n};
}

bool import_inflate(struct import *im, struct bytes in, struct bytes *whole)
{
    enum { ZLIB_OR_GZIP = 15 + 32 };
    VEC(uint8_t) out = {0};
    size_t room = inflated_room(im);
    z_stream z = {.next_in = (Bytef *)(uintptr_t)in.p, .avail_in = (uInt)in.n};
    int rc = in.n <= UINT32_MAX && inflateInit2(&z, ZLIB_OR_GZIP) == Z_OK ? Z_OK : Z_MEM_ERROR;
    while (rc == Z_OK && out.count < room) {
        vec_reserve(&out, out.count + in.n * 4 + 4096);
        z.next_out = out.items + out.count;
        z.avail_out = (uInt)(out.cap - out.count);
        rc = inflate(&z, Z_NO_FLUSH);
        out.count = out.cap - z.avail_out;
        if (rc == Z_OK && z.avail_in == 0 && z.avail_out > 0)
            rc = Z_BUF_ERROR;
    }
    inflateEnd(&z);
    *whole = keep_inflated(im, out.items, out.count);
    vec_release(&out);
    return rc == Z_STREAM_END;
}

bool import_unzstd(struct import *im, struct bytes in, struct bytes *whole)
{
    VEC(uint8_t) out = {0};
    size_t room = inflated_room(im);
    ZSTD_DCtx *ctx = ZSTD_createDCtx();
    ZSTD_inBuffer source = {in.p, in.n, 0};
    size_t rc = 1;
    while (ctx && out.count < room && (rc != 0 || source.pos < source.size)) {
        vec_reserve(&out, out.count + in.n * 4 + 4096);
        ZSTD_outBuffer sink = {out.items, out.cap, out.count};
        size_t before = source.pos;
        rc = ZSTD_decompressStream(ctx, &sink, &source);
        bool stuck = source.pos == before && sink.pos == out.count;
        out.count = sink.pos;
        if (ZSTD_isError(rc) || stuck)
            break;
    }
    ZSTD_freeDCtx(ctx);
    *whole = keep_inflated(im, out.items, out.count);
    vec_release(&out);
    return rc == 0;
}
