/* Bytes as a message's text: what is read comes back as the same text once it has been written. */
#include <stdlib.h>

#include "fuzz.h"
#include "parsers/proto/proto_json.h"
#include "parsers/proto/proto_text.h"

static bool parse(struct descriptors *d, uint32_t type, struct str text, struct pb_bytes *out)
{
    struct status s = proto_text_parse(out, d, type, "input", text);
    bool ok = status_ok(s);
    status_release(&s);
    return ok;
}

static void write(struct descriptors *d, uint32_t type, const struct pb_bytes *bytes,
                  struct text *out)
{
    proto_text_append(out, d, type, bytes->v.items, bytes->v.count);
}

static void reread(struct descriptors *d, const char *name, struct str text)
{
    struct pb_bytes first = {0}, second = {0};
    struct text written = {0}, again = {0};
    uint32_t type = descriptors_find(d, str_from(name));
    if (parse(d, type, text, &first)) {
        write(d, type, &first, &written);
        if (!parse(d, type, (struct str){written.v.items, written.v.count}, &second))
            abort();
        write(d, type, &second, &again);
        if (again.v.count != written.v.count ||
            (again.v.count && memcmp(again.v.items, written.v.items, again.v.count) != 0))
            abort();
        proto_json_append(&again, d, type, first.v.items, first.v.count);
    }
    pb_bytes_release(&first);
    pb_bytes_release(&second);
    vec_release(&written.v);
    vec_release(&again.v);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct descriptors built_in; /* parsing does not change it */
    struct str text = {(const char *)data, size};
    reread(&built_in, "perfetto.protos.TraceConfig", text);
    reread(&built_in, "perfetto.protos.TracePacket", text);
    reread(&built_in, "perfetto.protos.TraceSummarySpec", text);
    return 0;
}
