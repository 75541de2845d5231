/* Bytes as a file of whatever format they look like. */
#include <string.h>

#include "core/trace_builder.h"
#include "base/alloc.h"
#include "fuzz.h"
#include "parsers/load.h"
#include "settle.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct trace t;
    trace_init(&t);
    uint8_t *copy = alloc_bytes(size);
    if (size > 0)
        memcpy(copy, data, size);
    args_defer(&t.args, copy, size);
    struct status s = trace_load_memory(&t, "fuzz", copy, size, NULL);
    if (status_ok(s)) {
        settle(&t, copy, size);
        args_row_count(&t.args); /* decodes all of them */
    } else {
        free(copy);
    }
    status_release(&s);
    trace_release(&t);
    return 0;
}
