#include "parsers/input/decompress.h"

#include <stdlib.h>
#include <string.h>

#include <libdeflate.h>

#include "base/alloc.h"
#include "parsers/input/codec.h"
#include "parsers/input/utf16.h"

/* What the libraries get, and may write, at once. */
enum { STEP_BYTES = 1 << 20 };
/* What libdeflate may make at one go, which takes up to 0.1 s: nothing stops it halfway. */
enum { AT_ONCE_MAX = 64 << 20 };
/* A member of gzip ends with its size; it has at least a header, a block and that trailer. */
enum { GZIP_SIZE_BYTES = 4, GZIP_TRAILER = 8, GZIP_LEAST = 20 };
/* Of files. */
enum { ALWAYS_MAX = 256 << 20, RATIO_MAX = 128 };

static bool begins_with(struct bytes data, const void *magic, size_t n)
{
    return data.n >= n && memcmp(data.p, magic, n) == 0;
}

static bool gzip_sniff(struct bytes data)
{
    static const uint8_t magic[] = {0x1f, 0x8b, 8 /* deflated */};
    return begins_with(data, magic, sizeof magic);
}

static bool zstd_sniff(struct bytes data)
{
    static const uint8_t magic[] = {0x28, 0xb5, 0x2f, 0xfd};
    return begins_with(data, magic, sizeof magic);
}

static bool xz_sniff(struct bytes data)
{
    static const uint8_t magic[] = {0xfd, '7', 'z', 'X', 'Z', 0};
    return begins_with(data, magic, sizeof magic);
}

static bool bzip2_sniff(struct bytes data)
{
    return begins_with(data, "BZh", 3) && data.n > 3 && data.p[3] >= '1' && data.p[3] <= '9';
}

enum compression compression_sniff(struct bytes data)
{
    return gzip_sniff(data)    ? COMPRESSION_GZIP
           : zstd_sniff(data)  ? COMPRESSION_ZSTD
           : xz_sniff(data)    ? COMPRESSION_XZ
           : bzip2_sniff(data) ? COMPRESSION_BZIP2
           : utf16_sniff(data) ? COMPRESSION_UTF16
                               : COMPRESSION_NONE;
}

const char *compression_name(enum compression kind)
{
    static const char *const names[] = {
        [COMPRESSION_GZIP] = "gzip", [COMPRESSION_ZLIB] = "zlib",   [COMPRESSION_ZSTD] = "zstd",
        [COMPRESSION_XZ] = "xz",     [COMPRESSION_BZIP2] = "bzip2", [COMPRESSION_UTF16] = NULL};
    return names[kind];
}

struct decompressor *decompressor_new(enum compression kind, struct bytes input)
{
    struct decompressor *d = alloc_array(1, sizeof *d);
    d->kind = kind;
    d->input = input;
    d->codec = codec_new(kind);
    d->ended = !d->codec;
    return d;
}

void decompressor_free(struct decompressor *d)
{
    if (!d)
        return;
    codec_free(d->codec);
    free(d);
}

static size_t step_of(size_t n)
{
    return n < STEP_BYTES ? n : STEP_BYTES;
}

/* Whether what a member of gzip ends with is right: it is compared here, as libdeflate computes
 * check sums ten times as fast as zlib. */
static bool trailer_fits(const struct decompressor *d)
{
    const uint8_t *trailer = d->input.p + d->taken - GZIP_TRAILER;
    return load_le32(trailer) == d->crc && load_le32(trailer + 4) == d->made;
}

static struct bytes rest_of(const struct decompressor *d)
{
    return (struct bytes){d->input.p + d->taken, d->input.n - d->taken};
}

/* Streams may stand one behind the other; what stands behind the last one is passed over, but for
 * zstd, whose tool does not. */
static void end_stream(struct decompressor *d)
{
    d->taken += codec_padding(d->kind, rest_of(d));
    struct bytes rest = rest_of(d);
    bool goes_on = rest.n > 0 && (d->kind == COMPRESSION_ZSTD || codec_follows(d->kind, rest));
    d->crc = d->made = 0;
    d->ended = !goes_on || !codec_begin_next(d->codec);
    d->whole = !goes_on;
}

static size_t unpack_step(struct decompressor *d, uint8_t *out, size_t room)
{
    struct bytes rest = rest_of(d);
    size_t offered = step_of(rest.n);
    struct codec_piece p = {.in = rest.p,
                            .in_left = offered,
                            .out = out,
                            .out_left = room,
                            .is_last = offered == rest.n};
    enum codec_step step = codec_step(d->codec, &p);
    size_t made = room - p.out_left;
    d->taken += offered - p.in_left;
    if (d->kind == COMPRESSION_GZIP) {
        d->crc = libdeflate_crc32(d->crc, out, made);
        d->made += (uint32_t)made;
        if (step == CODEC_ENDED && !trailer_fits(d))
            step = CODEC_FAILED;
    }
    if (step == CODEC_ENDED)
        end_stream(d);
    else
        d->ended = step == CODEC_FAILED || (made == 0 && p.in_left == offered);
    return made;
}

size_t decompressor_read(struct decompressor *d, uint8_t *out, size_t room)
{
    size_t done = 0;
    while (done < room && !d->ended)
        done += unpack_step(d, out + done, step_of(room - done));
    return done;
}

/* Room for what data usually becomes; if that is too little, half as much again. What is reserved
 * but never touched costs no memory. */
static size_t more_room(size_t room, size_t compressed)
{
    size_t usual;
    if (room > 0)
        return room + room / 2 + STEP_BYTES;
    if (__builtin_mul_overflow(compressed, (size_t)4, &usual) || usual > SIZE_MAX - STEP_BYTES)
        return compressed;
    return usual + 4096;
}

/* How much the data becomes: what a gzip file says, or what is usual. */
static size_t expected_size(enum compression kind, struct bytes data)
{
    enum { USUAL_RATIO = 12, USUAL_MORE = 1 << 16 };
    if (kind == COMPRESSION_ZLIB)
        return data.n > AT_ONCE_MAX ? SIZE_MAX : data.n * USUAL_RATIO + USUAL_MORE;
    if (data.n < GZIP_LEAST)
        return SIZE_MAX;
    const uint8_t *p = data.p + data.n - GZIP_SIZE_BYTES;
    return load_le32(p);
}

size_t decompressed_size(enum compression kind, struct bytes data)
{
    return kind == COMPRESSION_GZIP && data.n >= GZIP_LEAST ? expected_size(kind, data) : 0;
}

bool decompress_at_once(enum compression kind, struct bytes data, size_t most,
                        struct decompressed *out)
{
    *out = (struct decompressed){0};
    if (kind != COMPRESSION_GZIP && kind != COMPRESSION_ZLIB)
        return false;
    bool gzip = gzip_sniff(data);
    size_t room = expected_size(gzip ? COMPRESSION_GZIP : kind, data), taken = 0;
    if (room == 0 || room > AT_ONCE_MAX || room > most)
        return false;
    struct libdeflate_decompressor *d = libdeflate_alloc_decompressor();
    if (!d)
        return false;
    out->p = alloc_bytes(room);
    enum libdeflate_result rc =
        gzip ? libdeflate_gzip_decompress_ex(d, data.p, data.n, out->p, room, &taken, &out->n)
             : libdeflate_zlib_decompress_ex(d, data.p, data.n, out->p, room, &taken, &out->n);
    libdeflate_free_decompressor(d);
    out->whole = rc == LIBDEFLATE_SUCCESS && (taken == data.n || kind == COMPRESSION_ZLIB);
    if (!out->whole) {
        free(out->p);
        *out = (struct decompressed){0};
    }
    return out->whole;
}

bool inflate_into(struct bytes packed, uint8_t *out, size_t size)
{
    struct libdeflate_decompressor *d = libdeflate_alloc_decompressor();
    if (!d)
        return false;
    enum libdeflate_result rc = libdeflate_zlib_decompress(d, packed.p, packed.n, out, size, NULL);
    libdeflate_free_decompressor(d);
    return rc == LIBDEFLATE_SUCCESS;
}

static struct decompressed decompress_most(enum compression kind, struct bytes data, size_t most,
                                           struct load_progress *progress)
{
    struct decompressed result;
    if (decompress_at_once(kind, data, most, &result))
        return result;
    struct decompressor *d = decompressor_new(kind, data);
    size_t room = 0;
    while (!d->ended && !result.cancelled && result.n < most) {
        if (result.n == room) {
            room = more_room(room, data.n);
            result.p = realloc_array(result.p, room, 1);
        }
        result.n += decompressor_read(d, result.p + result.n, step_of(room - result.n));
        result.cancelled = !progress_report(progress, d->taken);
    }
    result.whole = d->whole;
    decompressor_free(d);
    return result;
}

struct decompressed decompress(enum compression kind, struct bytes data, size_t most,
                               struct budget *budget, struct load_progress *progress)
{
    size_t left = budget_left(budget);
    struct decompressed result = decompress_most(kind, data, left < most ? left : most, progress);
    budget_spend(budget, result.n);
    return result;
}

size_t decompress_limit(size_t compressed, size_t always, size_t ratio)
{
    size_t most;
    if (__builtin_mul_overflow(compressed, ratio, &most) ||
        __builtin_add_overflow(most, always, &most))
        return SIZE_MAX;
    return most;
}

size_t decompress_file_limit(size_t compressed)
{
    return decompress_limit(compressed, ALWAYS_MAX, RATIO_MAX);
}
