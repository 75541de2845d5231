/* Bytes as a .proto file: what is taken once is taken again. */
#include <stdlib.h>

#include "fuzz.h"
#include "parsers/proto/proto_file.h"

static bool add(struct descriptors *d, const struct proto_file *file)
{
    struct status s = proto_files_add(d, file, 1);
    bool ok = status_ok(s);
    status_release(&s);
    return ok;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct descriptors d;
    struct proto_file file = {"input", {(const char *)data, size}};
    descriptors_init(&d);
    if (add(&d, &file) && !add(&d, &file))
        abort();
    descriptors_release(&d);
    return 0;
}
