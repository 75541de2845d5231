#include "parsers/perfetto/system/message_args.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "parsers/perfetto/packets/import.h"
#include "parsers/proto/descriptors.h"

struct message_args {
    struct reflect *lazy; /* owned by its args decoder */
    uint32_t decoder;
    struct reflect now;
    bool has_now;
    VEC(uint8_t) pruned;
};

static void message_args_release(void *state)
{
    struct message_args *w = state;
    if (w->has_now)
        reflect_release(&w->now);
    vec_release(&w->pruned);
}

static const struct import_state_kind message_args_kind = {.size = sizeof(struct message_args),
                                                           .release = message_args_release};

/* The context is the type of the message. */
static void decode(void *self, uint32_t context, const uint8_t *payload, size_t n,
                   struct arg_list *out)
{
    struct reflect *r = self;
    reflect_begin(r, out);
    reflect_message(r, context, pb_reader_from(payload, n), NULL);
}

static void decode_defaults(void *self, uint32_t context, const uint8_t *payload, size_t n,
                            struct arg_list *out)
{
    static const struct reflect_options options = {.add_defaults = true};
    struct reflect *r = self;
    reflect_begin(r, out);
    reflect_message(r, context, pb_reader_from(payload, n), &options);
}

static void release_reflect(void *self)
{
    reflect_release(self);
    free(self);
}

static uint32_t kind_of(struct import *im, const char *type)
{
    struct message_args *w = import_state(im, &message_args_kind);
    struct descriptors *d = import_descriptors(im);
    if (!w->lazy) {
        w->lazy = alloc_bytes(sizeof *w->lazy);
        reflect_init(w->lazy, d, &im->trace->strings);
        w->decoder = args_add_decoder(&im->trace->args,
                                      (struct args_decoder){.decode = decode,
                                                            .decode_defaults = decode_defaults,
                                                            .free = release_reflect,
                                                            .self = w->lazy});
    }
    return args_kind(&im->trace->args, w->decoder, descriptors_find(d, str_from(type)));
}

uint32_t message_args(struct import *im, const char *type, struct bytes message)
{
    return args_intern_payload(&im->trace->args, kind_of(im, type), message.p, message.n);
}

uint32_t message_args_without(struct import *im, const char *type, struct bytes message,
                              uint32_t field)
{
    struct message_args *w = import_state(im, &message_args_kind);
    struct pb_reader r = bytes_reader(message);
    struct pb_field f;
    w->pruned.count = 0;
    const uint8_t *from = r.p;
    while (pb_next(&r, &f)) {
        if (f.number != field) {
            vec_reserve(&w->pruned, w->pruned.count + (size_t)(r.p - from));
            memcpy(w->pruned.items + w->pruned.count, from, (size_t)(r.p - from));
            w->pruned.count += (size_t)(r.p - from);
        }
        from = r.p;
    }
    return message_args(im, type, (struct bytes){w->pruned.items, w->pruned.count});
}

uint32_t message_args_and(struct import *im, const char *type, struct bytes message,
                          const struct arg_list *more)
{
    uint32_t set = message_args(im, type, message);
    if (more->v.count == 0)
        return set;
    struct args_base base = {.set = set, .kind = kind_of(im, type)};
    return args_intern_on(&im->trace->args, base, more);
}

void message_reflect(struct import *im, const char *type, struct bytes message,
                     const struct reflect_options *options, struct arg_list *out)
{
    struct message_args *w = import_state(im, &message_args_kind);
    struct descriptors *d = import_descriptors(im);
    if (!w->has_now)
        reflect_init(&w->now, d, &im->trace->strings);
    w->has_now = true;
    reflect_begin(&w->now, out);
    reflect_message(&w->now, descriptors_find(d, str_from(type)), bytes_reader(message), options);
}
