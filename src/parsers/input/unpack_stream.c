#include "parsers/input/unpack_stream.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "parsers/input/codec.h"

/* What a library gets at once. */
enum { STEP_BYTES = 1 << 20 };
/* What tells how the next of several streams begins, and what each costs of the budget: one of a
 * few bytes may hold nothing. */
enum { MAGIC_MAX = 8, STREAM_COST = 1024 };

struct unpack_stream {
    struct byte_stream stream;
    struct byte_source packed;
    size_t used; /* of its window */
    struct budget *budget;
    enum compression kind;
    struct codec *codec;
    bool ended;
};

/* What follows in the window. */
static struct bytes rest_of(const struct unpack_stream *u)
{
    return (struct bytes){u->packed.window.p + u->used, u->packed.window.n - u->used};
}

/* At least `least` bytes, if there are so many. */
static struct bytes look_ahead(struct unpack_stream *u, size_t least)
{
    if (rest_of(u).n < least && byte_source_more(&u->packed, u->used))
        u->used = 0;
    return rest_of(u);
}

/* Streams may stand one behind the other; what is none is left out, as all these tools do. */
static void begin_next(struct unpack_stream *u)
{
    struct bytes rest = look_ahead(u, MAGIC_MAX);
    for (size_t n; (n = codec_padding(u->kind, rest)) > 0 && progress_goes_on(u->packed.progress);
         rest = look_ahead(u, MAGIC_MAX))
        u->used += n;
    if (codec_follows(u->kind, rest)) {
        bool begun = codec_begin_next(u->codec);
        budget_spend(u->budget, STREAM_COST);
        u->stream.cut = u->ended = !begun || budget_left(u->budget) == 0;
    } else {
        u->ended = true;
        u->stream.cut = rest.n == 0 && u->packed.cut;
    }
}

static size_t run_step(struct unpack_stream *u, uint8_t *out, size_t room)
{
    struct bytes rest = look_ahead(u, 1);
    struct codec_piece p = {.in = rest.p,
                            .in_left = rest.n < STEP_BYTES ? rest.n : STEP_BYTES,
                            .out = out,
                            .out_left = room < STEP_BYTES ? room : STEP_BYTES,
                            .is_last = rest.n == 0};
    size_t offered = p.in_left, asked = p.out_left;
    enum codec_step step = codec_step(u->codec, &p);
    size_t taken = offered - p.in_left, made = asked - p.out_left;
    u->used += taken;
    if (step == CODEC_ENDED)
        begin_next(u);
    else if (step == CODEC_FAILED || (taken == 0 && made == 0))
        u->stream.cut = u->ended = true;
    return made;
}

static size_t unpack_read(struct byte_stream *stream, uint8_t *out, size_t room)
{
    struct unpack_stream *u = (struct unpack_stream *)stream;
    size_t left = budget_left(u->budget), n = 0;
    room = room < left ? room : left;
    u->stream.cut |= room == 0;
    while (room > 0 && n == 0 && !u->ended) {
        n = run_step(u, out, room);
        stream->taken = u->packed.stream ? u->packed.stream->taken : u->used;
        if (!progress_report(u->packed.progress, stream->taken))
            stream->cut = u->ended = true;
    }
    budget_spend(u->budget, n);
    return n;
}

static void unpack_release(struct byte_stream *stream)
{
    struct unpack_stream *u = (struct unpack_stream *)stream;
    codec_free(u->codec);
    byte_source_release(&u->packed);
    free(u);
}

struct byte_source byte_source_unpacked(struct byte_source packed, struct budget *budget,
                                        size_t size)
{
    struct unpack_stream *u = alloc_array(1, sizeof *u);
    u->stream.read = unpack_read;
    u->stream.release = unpack_release;
    u->packed = packed;
    u->budget = budget;
    u->kind = compression_sniff(packed.window);
    u->codec = codec_new(u->kind);
    u->stream.cut = u->ended = !u->codec;
    return byte_source_stream(&u->stream, size, packed.progress);
}

struct byte_source byte_source_unpack_all(struct byte_source packed, struct budget *budget,
                                          size_t size, struct packed_layers *layers)
{
    enum compression kind;
    while (layers->n < LAYERS_MAX &&
           (kind = compression_sniff(packed.window)) != COMPRESSION_NONE) {
        layers->kinds[layers->n++] = kind;
        packed = byte_source_unpacked(packed, budget, size);
    }
    return packed;
}
