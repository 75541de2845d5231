/* Bytes as messages, as text, as debug annotations, as JSON, as ftrace events and as descriptors.
 */
#include "fuzz.h"
#include "parsers/proto/ftrace_args.h"
#include "parsers/proto/json_args.h"
#include "parsers/proto/reflect.h"
#include "parsers/proto/proto_text.h"
#include "pb_fields.h"

static struct str find_interned(void *self, uint32_t field, uint64_t iid)
{
    (void)self, (void)field;
    return iid % 2 ? STR("perfetto.protos.TrackEvent") : (struct str){NULL, 0};
}

static void add_json(void *self, struct reflect *r, struct str text)
{
    (void)self;
    json_add_args(r, text);
}

static void reflect_as_types(struct descriptors *d, struct string_pool *strings,
                             struct pb_reader message)
{
    static const char *const types[] = {
        "perfetto.protos.TrackEvent",
        "perfetto.protos.TracePacket",
        "perfetto.protos.DebugAnnotation",
        "com.android.internal.WindowManagerTraceEntry",
    };
    struct reflect r;
    struct arg_list out = {0};
    reflect_init(&r, d, strings);
    r.hooks = (struct reflect_hooks){find_interned, add_json, NULL};
    struct text text = {0};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        const struct reflect_options options = {.add_defaults = i % 2};
        arg_list_clear(&out);
        reflect_begin(&r, &out);
        uint32_t type = descriptors_find(d, str_from(types[i]));
        reflect_message(&r, type, message, &options);
        text.v.count = 0;
        proto_text_append(&text, d, type, message.p, (size_t)(message.end - message.p));
    }
    vec_release(&text.v);
    arg_list_clear(&out);
    reflect_begin(&r, &out);
    reflect_annotation(&r, message);
    json_add_args(&r, (struct str){(const char *)message.p, (size_t)(message.end - message.p)});
    arg_list_drop_replaced(&out, 0);
    arg_list_release(&out);
    reflect_release(&r);
}

static void decode_as_ftrace(struct string_pool *strings, const uint8_t *data, size_t size)
{
    struct ftrace_args *ftrace = ftrace_args_new(strings);
    struct arg_list out = {0};
    ftrace_args_decode(ftrace, PB_FtraceEvent_sched_switch, data, size, NULL, &out);
    ftrace_args_decode(ftrace, PB_FtraceEvent_generic, data, size, NULL, &out);
    arg_list_release(&out);
    ftrace_args_free(ftrace);
}

/* The bytes describe themselves: as a set of descriptors, and as a message of its first type. */
static void add_descriptors(struct string_pool *strings, const uint8_t *data, size_t size)
{
    struct descriptors d;
    descriptors_init(&d);
    d.embedded_read =
        UINT32_MAX; /* nothing but the input's, or each run would inflate the built-in ones */
    struct status s = descriptors_add(&d, data, size);
    status_release(&s);
    struct reflect r;
    struct arg_list out = {0};
    reflect_init(&r, &d, strings);
    reflect_begin(&r, &out);
    if (descriptors_type_count(&d) > 0)
        reflect_message(&r, 0, pb_reader_from(data, size), NULL);
    arg_list_release(&out);
    reflect_release(&r);
    descriptors_release(&d);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct descriptors built_in; /* reflection does not change it */
    struct string_pool strings;
    string_pool_init(&strings);
    reflect_as_types(&built_in, &strings, pb_reader_from(data, size));
    decode_as_ftrace(&strings, data, size);
    add_descriptors(&strings, data, size);
    string_pool_release(&strings);
    return 0;
}
