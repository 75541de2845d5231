#include "parsers/json/args.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "core/store/args.h"
#include "core/trace/trace.h"
#include "parsers/proto/json_args.h"

struct json_args {
    struct reflect reflect;
    struct str prefix;
};

static void decode(void *self, uint32_t context, const uint8_t *payload, size_t n,
                   struct arg_list *out)
{
    (void)context;
    struct json_args *a = self;
    struct reflect *r = &a->reflect;
    reflect_begin(r, out);
    reflect_continue_arrays(r);
    struct reflect_mark mark = reflect_enter(r, a->prefix);
    json_add_args(r, (struct str){(const char *)payload, n});
    reflect_leave(r, mark);
}

static void release(void *self)
{
    struct json_args *a = self;
    reflect_release(&a->reflect);
    free(a);
}

static void save(void *self, struct byte_list *out)
{
    const struct json_args *a = self;
    byte_list_str(out, a->prefix);
}

static uint32_t add_decoder(struct trace *t, struct str prefix)
{
    struct json_args *a = alloc_bytes(sizeof *a);
    reflect_init(&a->reflect, NULL, &t->strings);
    a->prefix = prefix;
    return args_add_decoder(&t->args, (struct args_decoder){.decode = decode,
                                                            .free = release,
                                                            .self = a,
                                                            .name = JSON_ARGS_NAME,
                                                            .save = save});
}

/* One for all files: an archive may have tens of thousands of them. */
uint32_t json_args_kind(struct trace *t, struct str prefix)
{
    for (size_t i = 0; i < t->args.decoders.count; i++) {
        const struct args_decoder *d = &t->args.decoders.items[i];
        if (d->decode == decode && str_eq(((const struct json_args *)d->self)->prefix, prefix))
            return args_kind(&t->args, (uint32_t)i, 0);
    }
    return args_kind(&t->args, add_decoder(t, prefix), 0);
}

bool json_args_restore(struct trace *t, struct byte_reader state)
{
    struct str prefix = byte_reader_str(&state);
    if (state.failed)
        return false;
    char *copy = arena_alloc_bytes(&t->payload_bytes, prefix.n);
    memcpy(copy, prefix.p, prefix.n);
    add_decoder(t, (struct str){copy, prefix.n});
    return true;
}
