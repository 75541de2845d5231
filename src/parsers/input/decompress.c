#include "parsers/input/decompress.h"

#include <zlib.h>
#include <zstd.h>

#include "base/alloc.h"

enum { STEP_BYTES = 1 << 20, GZIP_WINDOW = 15 + 16 };
/* Recordings shrink to a tenth; zstd makes a gigabyte of zeros out of 32 KB. */
enum { ALWAYS_BYTES = 256 << 20, RATIO_MAX = 128 };

/* What the input may become; the rest counts as cut off. */
static size_t most_bytes(struct bytes data)
{
    size_t most;
    if (__builtin_mul_overflow(data.n, (size_t)RATIO_MAX, &most) ||
        __builtin_add_overflow(most, (size_t)ALWAYS_BYTES, &most))
        return SIZE_MAX;
    return most;
}

bool gzip_sniff(struct bytes data)
{
    return data.n >= 3 && data.p[0] == 0x1f && data.p[1] == 0x8b && data.p[2] == Z_DEFLATED;
}

bool zstd_sniff(struct bytes data)
{
    static const uint8_t magic[] = {0x28, 0xb5, 0x2f, 0xfd};
    return data.n >= sizeof magic && memcmp(data.p, magic, sizeof magic) == 0;
}

/* Output that grows by half: what it reserves but never touches costs no memory. */
struct sink {
    uint8_t *p;
    size_t n, cap;
};

static void sink_reserve(struct sink *out, size_t expected)
{
    if (out->cap - out->n >= STEP_BYTES)
        return;
    size_t cap = out->cap + out->cap / 2 + STEP_BYTES;
    out->cap = cap < expected ? expected : cap;
    out->p = realloc_array(out->p, out->cap, 1);
}

static bool report(struct load_progress *progress, size_t done)
{
    if (!progress)
        return true;
    atomic_store(&progress->done, done);
    return !atomic_load(&progress->cancel);
}

struct inflated gzip_inflate(struct bytes data, struct load_progress *progress)
{
    struct sink out = {0};
    z_stream z = {0};
    struct inflated result = {0};
    size_t taken = 0, most = most_bytes(data);
    int rc = inflateInit2(&z, GZIP_WINDOW);
    while (rc == Z_OK && !result.cancelled && out.n < most) {
        size_t left = data.n - taken;
        sink_reserve(&out, data.n < SIZE_MAX / 8 ? data.n * 4 : data.n);
        z.next_in = (Bytef *)(uintptr_t)(data.p + taken);
        z.avail_in = left < STEP_BYTES ? (uInt)left : STEP_BYTES;
        z.next_out = out.p + out.n;
        z.avail_out = STEP_BYTES;
        uInt offered = z.avail_in;
        rc = inflate(&z, Z_NO_FLUSH);
        taken += offered - z.avail_in;
        out.n += STEP_BYTES - z.avail_out;
        /* Members may follow each other, as gzip's own tool writes them. */
        if (rc == Z_STREAM_END && gzip_sniff((struct bytes){data.p + taken, data.n - taken}))
            rc = inflateReset(&z);
        result.cancelled = !report(progress, taken);
    }
    inflateEnd(&z);
    result.p = out.p;
    result.n = out.n;
    result.whole = rc == Z_STREAM_END;
    return result;
}

struct inflated zstd_inflate(struct bytes data, struct load_progress *progress)
{
    struct sink out = {0};
    struct inflated result = {0};
    ZSTD_DCtx *ctx = ZSTD_createDCtx();
    ZSTD_inBuffer source = {data.p, 0, 0};
    size_t rc = 1, most = most_bytes(data);
    while (ctx && !result.cancelled && out.n < most && (rc != 0 || source.pos < data.n)) {
        sink_reserve(&out, data.n < SIZE_MAX / 8 ? data.n * 4 : data.n);
        source.size = data.n - source.pos < STEP_BYTES ? data.n : source.pos + STEP_BYTES;
        ZSTD_outBuffer sink = {out.p, out.n + STEP_BYTES, out.n};
        size_t before = source.pos;
        rc = ZSTD_decompressStream(ctx, &sink, &source);
        bool stuck = source.pos == before && sink.pos == out.n;
        out.n = sink.pos;
        if (ZSTD_isError(rc) || stuck)
            break;
        result.cancelled = !report(progress, source.pos);
    }
    ZSTD_freeDCtx(ctx);
    result.p = out.p;
    result.n = out.n;
    result.whole = rc == 0 && source.pos == data.n;
    return result;
}
