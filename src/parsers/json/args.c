#include "parsers/json/args.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "core/args.h"
#include "core/trace.h"
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
    struct reflect_mark mark = reflect_enter(r, a->prefix);
    json_add_args(r, (struct str){(const char *)payload, n}, JSON_ELEMENTS_POSITION);
    reflect_leave(r, mark);
}

static void release(void *self)
{
    struct json_args *a = self;
    reflect_release(&a->reflect);
    free(a);
}

uint32_t json_args_kind(struct trace *t, struct str prefix)
{
    struct json_args *a = alloc_bytes(sizeof *a);
    reflect_init(&a->reflect, NULL, &t->strings);
    a->prefix = prefix;
    uint32_t decoder =
        args_add_decoder(&t->args,
                         (struct args_decoder){.decode = decode, .free = release, .self = a});
    return args_kind(&t->args, decoder, 0);
}
