/* Bytes as a file of whatever format they look like. */
#include "core/trace_builder.h"
#include "fuzz.h"
#include "parsers/load.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct trace t;
    trace_init(&t);
    struct status s = trace_load_memory(&t, "fuzz", data, size, NULL);
    status_release(&s);
    trace_release(&t);
    return 0;
}
