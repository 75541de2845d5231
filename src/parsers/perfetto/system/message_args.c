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

/* A type that is not there may be that of a file of columns that is damaged. */
static void show(struct reflect *r, uint32_t type, const uint8_t *payload, size_t n,
                 const struct reflect_options *options, struct arg_list *out)
{
    reflect_begin(r, out);
    if (type == DESCRIPTOR_NONE || type < descriptors_type_count(r->descriptors))
        reflect_message(r, type, pb_reader_from(payload, n), options);
}

/* In the context: the message is kept for those who know its set, and has no rows in `args`. */
enum { KEPT_ASIDE = INT32_MIN };

/* The context is the type of the message. */
static void decode(void *self, uint32_t context, const uint8_t *payload, size_t n,
                   struct arg_list *out)
{
    if (!(context & (uint32_t)KEPT_ASIDE))
        show(self, context, payload, n, NULL, out);
}

static void decode_defaults(void *self, uint32_t context, const uint8_t *payload, size_t n,
                            struct arg_list *out)
{
    static const struct reflect_options options = {.add_defaults = true};
    show(self, context & ~(uint32_t)KEPT_ASIDE, payload, n, &options, out);
}

static void release_reflect(void *self)
{
    reflect_release(self);
    free(self);
}

static struct reflect *add_decoder(struct trace *t, struct descriptors *d, uint32_t *number)
{
    struct reflect *r = alloc_bytes(sizeof *r);
    descriptors_find(d, STR("")); /* reads all built-in ones, as decoding must not */
    reflect_init(r, d, &t->strings);
    *number = args_add_decoder(&t->args, (struct args_decoder){.decode = decode,
                                                               .decode_defaults = decode_defaults,
                                                               .free = release_reflect,
                                                               .self = r,
                                                               .name = MESSAGE_ARGS_NAME});
    return r;
}

bool message_args_restore(struct trace *t, struct byte_reader state)
{
    struct descriptors *d = import_descriptors_last(t);
    uint32_t number;
    if (!d || state.failed)
        return false;
    add_decoder(t, d, &number);
    return true;
}

/* Files with the same descriptors share one. */
static struct reflect *decoder_of(struct trace *t, struct descriptors *d, uint32_t *number)
{
    *number = args_last_decoder(&t->args, decode);
    struct reflect *last = *number == NULL_U32 ? NULL : t->args.decoders.items[*number].self;
    return last && last->descriptors == d ? last : add_decoder(t, d, number);
}

static uint32_t kind_of(struct import *im, const char *type, uint32_t aside)
{
    struct message_args *w = import_state(im, &message_args_kind);
    struct descriptors *d = import_descriptors(im);
    if (!w->lazy)
        w->lazy = decoder_of(im->trace, d, &w->decoder);
    uint32_t number = descriptors_find(d, str_from(type));
    return args_kind(&im->trace->args, w->decoder,
                     number == DESCRIPTOR_NONE ? number : number | aside);
}

uint32_t message_args(struct import *im, const char *type, struct bytes message)
{
    return args_intern_payload(&im->trace->args, kind_of(im, type, 0), message.p, message.n);
}

uint32_t message_kept(struct import *im, const char *type, struct bytes message)
{
    return args_intern_payload(&im->trace->args, kind_of(im, type, (uint32_t)KEPT_ASIDE), message.p,
                               message.n);
}

/* The message less the fields of this number; valid until the next call. */
static struct bytes prune(struct import *im, struct bytes message, uint32_t field)
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
    return (struct bytes){w->pruned.items, w->pruned.count};
}

uint32_t message_args_without(struct import *im, const char *type, struct bytes message,
                              uint32_t field)
{
    return message_args(im, type, prune(im, message, field));
}

uint32_t message_kept_without(struct import *im, const char *type, struct bytes message,
                              uint32_t field)
{
    return message_kept(im, type, prune(im, message, field));
}

uint32_t message_args_and(struct import *im, const char *type, struct bytes message,
                          const struct arg_list *more)
{
    if (more->v.count == 0)
        return message_args(im, type, message);
    struct args_base base = {.set = message_kept(im, type, message), .kind = kind_of(im, type, 0)};
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
