/* Bytes as a JSON trace: as they are, and compressed, in which case they come piece by piece. */
#include <zlib.h>

#include "fuzz.h"
#include "base/alloc.h"
#include "core/trace_builder.h"
#include "parsers/input/byte_source.h"
#include "parsers/json/json.h"

static void import(struct byte_source *source)
{
    struct trace t;
    trace_init(&t);
    struct status s = json_trace_format.read_source(&t, "fuzz", source);
    status_release(&s);
    trace_finish(&t);
    args_row_count(&t.args); /* decodes all of them */
    trace_release(&t);
}

/* A gzip file of the bytes, followed by the rest of an object that is larger than a window. */
static struct bytes compress_bytes(const uint8_t *data, size_t size)
{
    enum { WINDOW = 15 + 16, PADDING = 1 << 20 };
    uint8_t *padding = alloc_bytes(PADDING);
    memset(padding, ' ', PADDING);
    z_stream z = {0};
    deflateInit2(&z, Z_BEST_SPEED, Z_DEFLATED, WINDOW, 8, Z_DEFAULT_STRATEGY);
    size_t bound = deflateBound(&z, size + PADDING);
    uint8_t *out = alloc_bytes(bound);
    z.next_out = out;
    z.avail_out = (uInt)bound;
    z.next_in = padding;
    z.avail_in = PADDING - 100;
    deflate(&z, Z_NO_FLUSH);
    z.next_in = (Bytef *)(uintptr_t)data;
    z.avail_in = (uInt)size;
    deflate(&z, Z_FINISH);
    deflateEnd(&z);
    free(padding);
    return (struct bytes){out, bound - z.avail_out};
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct byte_source plain = byte_source_memory((struct bytes){data, size}, false, NULL);
    import(&plain);
    struct bytes gzip = compress_bytes(data, size);
    struct byte_source pieces = byte_source_compressed(COMPRESSION_GZIP, gzip, NULL, NULL);
    import(&pieces);
    byte_source_release(&pieces);
    free((void *)(uintptr_t)gzip.p);
    return 0;
}
