#include "parsers/input/codec.h"

#include <bzlib.h>
#include <lzma.h>
#include <stdlib.h>
#include <zlib.h>
#include <zstd.h>

#include "base/alloc.h"
#include "parsers/input/utf16.h"

/* Numbers that zlib takes instead of the size of its window, which is 2^15 bytes: they stand for
 * gzip's form and for either form. */
enum { GZIP_WINDOW = 15 + 16, EITHER_WINDOW = 15 + 32 };
/* xz's dictionaries, which are as large as a file says. */
enum { XZ_MEMORY_MAX = 1 << 30 };

struct codec {
    const struct library *library;
    union {
        z_stream zlib;
        lzma_stream xz;
        bz_stream bzip2;
        ZSTD_DCtx *zstd;
        struct utf16_reader text;
    } state;
};

struct library {
    bool (*begin)(struct codec *c);
    bool (*begin_next)(struct codec *c); /* NULL: as a new one */
    enum codec_step (*step)(struct codec *c, struct codec_piece *p);
    void (*end)(struct codec *c);
};

static bool zlib_begin(struct codec *c)
{
    return inflateInit2(&c->state.zlib, EITHER_WINDOW) == Z_OK;
}

static bool gzip_begin(struct codec *c)
{
    return inflateInit2(&c->state.zlib, GZIP_WINDOW) == Z_OK &&
           inflateValidate(&c->state.zlib, 0) == Z_OK;
}

static bool zlib_begin_next(struct codec *c)
{
    return inflateReset(&c->state.zlib) == Z_OK;
}

static enum codec_step zlib_step(struct codec *c, struct codec_piece *p)
{
    z_stream *z = &c->state.zlib;
    z->next_in = (Bytef *)(uintptr_t)p->in;
    z->avail_in = (uInt)p->in_left;
    z->next_out = p->out;
    z->avail_out = (uInt)p->out_left;
    int rc = inflate(z, Z_NO_FLUSH);
    p->in_left = z->avail_in;
    p->out_left = z->avail_out;
    return rc == Z_STREAM_END                ? CODEC_ENDED
           : rc == Z_OK || rc == Z_BUF_ERROR ? CODEC_MORE
                                             : CODEC_FAILED;
}

static void zlib_end(struct codec *c)
{
    inflateEnd(&c->state.zlib);
}

static bool zstd_begin(struct codec *c)
{
    c->state.zstd = ZSTD_createDCtx();
    return c->state.zstd != NULL;
}

static bool zstd_begin_next(struct codec *c)
{
    return !ZSTD_isError(ZSTD_DCtx_reset(c->state.zstd, ZSTD_reset_session_only));
}

static enum codec_step zstd_step(struct codec *c, struct codec_piece *p)
{
    ZSTD_inBuffer in = {p->in, p->in_left, 0};
    ZSTD_outBuffer out = {p->out, p->out_left, 0};
    size_t rc = ZSTD_decompressStream(c->state.zstd, &out, &in);
    p->in_left -= in.pos;
    p->out_left -= out.pos;
    return ZSTD_isError(rc) ? CODEC_FAILED : rc == 0 ? CODEC_ENDED : CODEC_MORE;
}

static void zstd_end(struct codec *c)
{
    ZSTD_freeDCtx(c->state.zstd);
}

/* Its own way to go through several streams does not tell where one ends. */
static bool xz_begin_next(struct codec *c)
{
    return lzma_stream_decoder(&c->state.xz, XZ_MEMORY_MAX, 0) == LZMA_OK;
}

static bool xz_begin(struct codec *c)
{
    c->state.xz = (lzma_stream)LZMA_STREAM_INIT;
    return xz_begin_next(c);
}

static enum codec_step xz_step(struct codec *c, struct codec_piece *p)
{
    lzma_stream *z = &c->state.xz;
    z->next_in = p->in;
    z->avail_in = p->in_left;
    z->next_out = p->out;
    z->avail_out = p->out_left;
    lzma_ret rc = lzma_code(z, p->is_last ? LZMA_FINISH : LZMA_RUN);
    p->in_left = z->avail_in;
    p->out_left = z->avail_out;
    return rc == LZMA_STREAM_END                   ? CODEC_ENDED
           : rc == LZMA_OK || rc == LZMA_BUF_ERROR ? CODEC_MORE
                                                   : CODEC_FAILED;
}

static void xz_end(struct codec *c)
{
    lzma_end(&c->state.xz);
}

static bool bzip2_begin(struct codec *c)
{
    c->state.bzip2 = (bz_stream){0};
    return BZ2_bzDecompressInit(&c->state.bzip2, 0, 0) == BZ_OK;
}

static enum codec_step bzip2_step(struct codec *c, struct codec_piece *p)
{
    bz_stream *z = &c->state.bzip2;
    z->next_in = (char *)(uintptr_t)p->in;
    z->avail_in = (unsigned)p->in_left;
    z->next_out = (char *)p->out;
    z->avail_out = (unsigned)p->out_left;
    int rc = BZ2_bzDecompress(z);
    p->in_left = z->avail_in;
    p->out_left = z->avail_out;
    return rc == BZ_STREAM_END ? CODEC_ENDED : rc == BZ_OK ? CODEC_MORE : CODEC_FAILED;
}

static void bzip2_end(struct codec *c)
{
    BZ2_bzDecompressEnd(&c->state.bzip2);
}

static bool utf16_begin(struct codec *c)
{
    c->state.text = (struct utf16_reader){0};
    return true;
}

static enum codec_step utf16_step(struct codec *c, struct codec_piece *p)
{
    struct bytes in = {p->in, p->in_left};
    size_t made = utf16_read(&c->state.text, &in, p->is_last, p->out, p->out_left);
    p->in = in.p;
    p->in_left = in.n;
    p->out += made;
    p->out_left -= made;
    if (!p->is_last || in.n > 0 || p->out_left == 0)
        return CODEC_MORE;
    return c->state.text.held_n ? CODEC_FAILED : CODEC_ENDED;
}

static void utf16_end(struct codec *c)
{
    (void)c;
}

static const struct library libraries[] = {
    [COMPRESSION_GZIP] = {gzip_begin, zlib_begin_next, zlib_step, zlib_end},
    [COMPRESSION_ZLIB] = {zlib_begin, zlib_begin_next, zlib_step, zlib_end},
    [COMPRESSION_ZSTD] = {zstd_begin, zstd_begin_next, zstd_step, zstd_end},
    [COMPRESSION_XZ] = {xz_begin, xz_begin_next, xz_step, xz_end},
    [COMPRESSION_BZIP2] = {bzip2_begin, NULL, bzip2_step, bzip2_end},
    [COMPRESSION_UTF16] = {utf16_begin, NULL, utf16_step, utf16_end},
};

struct codec *codec_new(enum compression kind)
{
    struct codec *c = alloc_array(1, sizeof *c);
    c->library = &libraries[kind];
    if (c->library->begin(c))
        return c;
    codec_free(c);
    return NULL;
}

void codec_free(struct codec *c)
{
    if (!c)
        return;
    c->library->end(c);
    free(c);
}

enum codec_step codec_step(struct codec *c, struct codec_piece *p)
{
    return c->library->step(c, p);
}

size_t codec_padding(enum compression kind, struct bytes rest)
{
    enum { UNIT = 4 };
    size_t n = 0;
    while (kind == COMPRESSION_XZ && rest.n - n >= UNIT && load_le32(rest.p + n) == 0)
        n += UNIT;
    return n;
}

bool codec_follows(enum compression kind, struct bytes rest)
{
    enum { SKIPPED = 0x184d2a50, MAGIC = 4 }; /* to be passed over; the last four bits are free */
    bool skipped =
        kind == COMPRESSION_ZSTD && rest.n >= MAGIC && (load_le32(rest.p) & ~15u) == SKIPPED;
    return skipped || compression_sniff(rest) == kind;
}

bool codec_begin_next(struct codec *c)
{
    if (c->library->begin_next)
        return c->library->begin_next(c);
    c->library->end(c);
    return c->library->begin(c);
}
