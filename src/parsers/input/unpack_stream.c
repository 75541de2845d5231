#include "parsers/input/unpack_stream.h"

#include <bzlib.h>
#include <lzma.h>
#include <stdlib.h>
#include <zlib.h>
#include <zstd.h>

#include "base/alloc.h"

/* What a library gets at once. */
enum { STEP_BYTES = 1 << 20 };
/* gzip's form, of a window of 2^15 bytes. */
enum { GZIP_WINDOW = 15 + 16 };
/* xz's dictionaries, which are as large as a file says. */
enum { XZ_MEMORY_MAX = 1 << 30 };
/* What tells how the next of several streams begins, and what each costs of the budget: one of a
 * few bytes may hold nothing. */
enum { MAGIC_MAX = 8, STREAM_COST = 1024 };

enum step { STEP_MORE, STEP_ENDED, STEP_FAILED };

struct unpack_stream {
    struct byte_stream stream;
    struct byte_source packed;
    size_t used; /* of its window */
    struct budget *budget;
    const struct unpack_kind *kind;
    bool ended;
    union {
        z_stream gzip;
        lzma_stream xz;
        bz_stream bzip2;
        ZSTD_DStream *zstd;
    } state;
};

/* Pieces of both sides; a step moves them on. */
struct unpack_step {
    const uint8_t *in;
    size_t in_left;
    uint8_t *out;
    size_t out_left;
    bool is_last; /* nothing follows `in` */
};

struct unpack_kind {
    bool (*sniff)(struct bytes head);
    bool (*follows)(struct bytes rest); /* what is behind it is more of it */
    bool (*begin)(struct unpack_stream *u);
    bool (*begin_again)(struct unpack_stream *u); /* behind the end of one; NULL: from new */
    enum step (*step)(struct unpack_stream *u, struct unpack_step *s);
    void (*end)(struct unpack_stream *u);
};

static bool gzip_sniff(struct bytes head)
{
    return compression_sniff(head) == COMPRESSION_GZIP;
}

/* A wrong checksum is no reason to lose what can be read. */
static bool gzip_begin(struct unpack_stream *u)
{
    u->state.gzip = (z_stream){0};
    return inflateInit2(&u->state.gzip, GZIP_WINDOW) == Z_OK &&
           inflateValidate(&u->state.gzip, 0) == Z_OK;
}

static bool gzip_begin_again(struct unpack_stream *u)
{
    return inflateReset(&u->state.gzip) == Z_OK;
}

static enum step gzip_step(struct unpack_stream *u, struct unpack_step *s)
{
    z_stream *z = &u->state.gzip;
    z->next_in = (Bytef *)(uintptr_t)s->in;
    z->avail_in = (uInt)s->in_left;
    z->next_out = s->out;
    z->avail_out = (uInt)s->out_left;
    int rc = inflate(z, Z_NO_FLUSH);
    s->in_left = z->avail_in;
    s->out_left = z->avail_out;
    return rc == Z_STREAM_END                ? STEP_ENDED
           : rc == Z_OK || rc == Z_BUF_ERROR ? STEP_MORE
                                             : STEP_FAILED;
}

static void gzip_end(struct unpack_stream *u)
{
    inflateEnd(&u->state.gzip);
}

static bool zstd_sniff(struct bytes head)
{
    return compression_sniff(head) == COMPRESSION_ZSTD;
}

static bool zstd_follows(struct bytes rest)
{
    enum { SKIPPED = 0x184d2a50, MAGIC = 4 }; /* to be passed over; the last four bits are free */
    return zstd_sniff(rest) || (rest.n >= MAGIC && (load_le32(rest.p) & ~15u) == SKIPPED);
}

static bool zstd_begin(struct unpack_stream *u)
{
    u->state.zstd = ZSTD_createDStream();
    return u->state.zstd != NULL;
}

static bool zstd_begin_again(struct unpack_stream *u)
{
    return !ZSTD_isError(ZSTD_DCtx_reset(u->state.zstd, ZSTD_reset_session_only));
}

static enum step zstd_step(struct unpack_stream *u, struct unpack_step *s)
{
    ZSTD_inBuffer in = {s->in, s->in_left, 0};
    ZSTD_outBuffer out = {s->out, s->out_left, 0};
    size_t rc = ZSTD_decompressStream(u->state.zstd, &out, &in);
    s->in_left -= in.pos;
    s->out_left -= out.pos;
    return ZSTD_isError(rc) ? STEP_FAILED : rc == 0 ? STEP_ENDED : STEP_MORE;
}

static void zstd_end(struct unpack_stream *u)
{
    ZSTD_freeDStream(u->state.zstd);
}

static bool xz_begin(struct unpack_stream *u)
{
    u->state.xz = (lzma_stream)LZMA_STREAM_INIT;
    return lzma_stream_decoder(&u->state.xz, XZ_MEMORY_MAX, LZMA_CONCATENATED) == LZMA_OK;
}

static enum step xz_step(struct unpack_stream *u, struct unpack_step *s)
{
    lzma_stream *z = &u->state.xz;
    z->next_in = s->in;
    z->avail_in = s->in_left;
    z->next_out = s->out;
    z->avail_out = s->out_left;
    lzma_ret rc = lzma_code(z, s->is_last ? LZMA_FINISH : LZMA_RUN);
    s->in_left = z->avail_in;
    s->out_left = z->avail_out;
    return rc == LZMA_STREAM_END                   ? STEP_ENDED
           : rc == LZMA_OK || rc == LZMA_BUF_ERROR ? STEP_MORE
                                                   : STEP_FAILED;
}

static void xz_end(struct unpack_stream *u)
{
    lzma_end(&u->state.xz);
}

static bool bzip2_begin(struct unpack_stream *u)
{
    u->state.bzip2 = (bz_stream){0};
    return BZ2_bzDecompressInit(&u->state.bzip2, 0, 0) == BZ_OK;
}

static enum step bzip2_step(struct unpack_stream *u, struct unpack_step *s)
{
    bz_stream *z = &u->state.bzip2;
    z->next_in = (char *)(uintptr_t)s->in;
    z->avail_in = (unsigned)s->in_left;
    z->next_out = (char *)s->out;
    z->avail_out = (unsigned)s->out_left;
    int rc = BZ2_bzDecompress(z);
    s->in_left = z->avail_in;
    s->out_left = z->avail_out;
    return rc == BZ_STREAM_END ? STEP_ENDED : rc == BZ_OK ? STEP_MORE : STEP_FAILED;
}

static void bzip2_end(struct unpack_stream *u)
{
    BZ2_bzDecompressEnd(&u->state.bzip2);
}

static const struct unpack_kind kinds[] = {
    {gzip_sniff, gzip_sniff, gzip_begin, gzip_begin_again, gzip_step, gzip_end},
    {zstd_sniff, zstd_follows, zstd_begin, zstd_begin_again, zstd_step, zstd_end},
    {xz_sniff, xz_sniff, xz_begin, NULL, xz_step, xz_end},
    {bzip2_sniff, bzip2_sniff, bzip2_begin, NULL, bzip2_step, bzip2_end},
};

static const struct unpack_kind *kind_of(struct bytes head)
{
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (kinds[i].sniff(head))
            return &kinds[i];
    return NULL;
}

bool unpack_stream_knows(struct bytes head)
{
    return kind_of(head) != NULL;
}

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
    if (u->kind->follows(rest)) {
        bool begun = u->kind->begin_again && u->kind->begin_again(u);
        if (!begun) {
            u->kind->end(u);
            begun = u->kind->begin(u);
        }
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
    struct unpack_step s = {.in = rest.p,
                            .in_left = rest.n < STEP_BYTES ? rest.n : STEP_BYTES,
                            .out = out,
                            .out_left = room < STEP_BYTES ? room : STEP_BYTES,
                            .is_last = rest.n == 0};
    size_t offered = s.in_left, asked = s.out_left;
    enum step result = u->kind->step(u, &s);
    size_t taken = offered - s.in_left, made = asked - s.out_left;
    u->used += taken;
    if (result == STEP_ENDED)
        begin_next(u);
    else if (result == STEP_FAILED || (taken == 0 && made == 0))
        u->stream.cut = u->ended = true;
    return made;
}

static size_t unpack_read(struct byte_stream *stream, uint8_t *out, size_t room)
{
    struct unpack_stream *u = (struct unpack_stream *)stream;
    size_t left = budget_left(u->budget), n = 0;
    room = room < left ? room : left;
    u->stream.cut |= room == 0;
    while (room > 0 && n == 0 && !u->ended)
        n = run_step(u, out, room);
    budget_spend(u->budget, n);
    stream->taken = u->packed.stream ? u->packed.stream->taken : u->used;
    return n;
}

static void unpack_release(struct byte_stream *stream)
{
    struct unpack_stream *u = (struct unpack_stream *)stream;
    u->kind->end(u);
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
    u->kind = kind_of(packed.window);
    u->stream.cut = u->ended = !u->kind->begin(u);
    return byte_source_stream(&u->stream, size, packed.progress);
}
