#include "parsers/json/args.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "core/args.h"
#include "core/trace.h"
#include "parsers/proto/json_args.h"

static void decode(void *self, uint32_t context, const uint8_t *payload, size_t n,
                   struct arg_list *out)
{
    (void)context;
    struct reflect *r = self;
    reflect_begin(r, out);
    struct reflect_mark mark = reflect_enter(r, STR("args"));
    json_add_args(r, (struct str){(const char *)payload, n}, JSON_ELEMENTS_POSITION);
    reflect_leave(r, mark);
}

static void release(void *self)
{
    reflect_release(self);
    free(self);
}

uint32_t json_args_kind(struct trace *t)
{
    struct reflect *r = alloc_bytes(sizeof *r);
    reflect_init(r, NULL, &t->strings);
    uint32_t decoder =
        args_add_decoder(&t->args,
                         (struct args_decoder){.decode = decode, .free = release, .self = r});
    return args_kind(&t->args, decoder, 0);
}
