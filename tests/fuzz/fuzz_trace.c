/* A whole trace, of whatever format the bytes pretend to be: loading ends, and the args can be
 * read. */
#include "core/trace.h"
#include "fuzz.h"
#include "parsers/load.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct trace *t = alloc_bytes(sizeof *t);
    trace_init(t);
    struct status s = trace_load_memory(t, "fuzz", data, size, NULL);
    if (status_ok(s))
        args_row_count(&t->args);
    status_release(&s);
    trace_release(t);
    free(t);
    return 0;
}
