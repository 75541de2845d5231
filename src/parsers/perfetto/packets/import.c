#include "parsers/perfetto/packets/import.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "parsers/perfetto/packets/inflate_ahead.h"
#include "parsers/perfetto/packets/patches.h"
#include "parsers/perfetto/packets/sequence.h"
#include "parsers/proto/descriptors.h"

/* Writers compress at most half a MB at once; what a trace of compressed zeros would take in memory
 * is bounded by its size. */
enum { INFLATED_MAX = 64 << 20, INFLATED_RATIO_MAX = 64 };

void import_init(struct import *im, struct trace *t, struct bytes data)
{
    *im = (struct import){.trace = t,
                          .input = data,
                          .first_frame = t->tables.stack_profile_frame.rows,
                          .first_class = t->tables.heap_graph_class.rows,
                          .tracing_started_ts = INT64_MIN,
                          .data_sources_started_ts = INT64_MIN};
    arena_init(&im->arena);
    arena_init(&im->inflated);
    arena_init(&im->unpacked);
}

void import_release(struct import *im)
{
    for (size_t i = 0; i < im->states.count; i++) {
        if (im->states.items[i].kind->release)
            im->states.items[i].kind->release(im->states.items[i].state);
        free(im->states.items[i].state);
    }
    vec_release(&im->states);
    vec_release(&im->deferred);
    sorter_release(&im->sorter);
    sequences_release(im);
    patches_release(im);
    map_release(&im->machines);
    arena_release(&im->arena);
    arena_release(&im->inflated);
    inflate_ahead_end(im->ahead);
    arena_release(&im->unpacked);
}

void *import_state(struct import *im, const struct import_state_kind *kind)
{
    for (size_t i = 0; i < im->states.count; i++)
        if (im->states.items[i].kind == kind)
            return im->states.items[i].state;
    void *state = alloc_array(1, kind->size);
    *vec_push(&im->states) = (struct import_state_entry){kind, state};
    return state;
}

void import_finish_states(struct import *im)
{
    for (size_t i = 0; i < im->states.count; i++)
        if (im->states.items[i].kind->finish)
            im->states.items[i].kind->finish(im, im->states.items[i].state);
}

static void decode_nothing(void *self, uint32_t context, const uint8_t *payload, size_t n,
                           struct arg_list *out)
{
    (void)self, (void)context, (void)payload, (void)n, (void)out;
}

/* What args decoders refer to. The files of an archive share the built-in descriptors, which the
 * first of them has, and those that add none share these, too. */
struct kept_descriptors {
    struct descriptors own;
    uint32_t file; /* that has them first */
    bool has_base;
    struct descriptors base; /* where it has */
};

static void free_descriptors(void *self)
{
    struct kept_descriptors *k = self;
    descriptors_release(&k->own);
    if (k->has_base)
        descriptors_release(&k->base);
    free(k);
}

static void save_descriptors(void *self, struct byte_list *out)
{
    const struct kept_descriptors *k = self;
    for (size_t i = 0; i < k->own.added.count; i++)
        byte_list_str(out, k->own.added.items[i]);
}

static struct descriptors *add_descriptors(struct trace *t)
{
    const struct descriptors *last = import_descriptors_last(t);
    struct kept_descriptors *k = alloc_array(1, sizeof *k);
    k->file = stats_scope(t)->file;
    k->has_base = !last;
    if (k->has_base)
        descriptors_init(&k->base);
    descriptors_init_on(&k->own, last ? last->base : &k->base);
    args_add_decoder(&t->args, (struct args_decoder){.decode = decode_nothing,
                                                     .free = free_descriptors,
                                                     .self = k,
                                                     .name = IMPORT_DESCRIPTORS_NAME,
                                                     .save = save_descriptors});
    return &k->own;
}

struct descriptors *import_descriptors(struct import *im)
{
    if (im->descriptors)
        return im->descriptors;
    im->descriptors = import_descriptors_last(im->trace);
    if (!im->descriptors || im->descriptors->added.count > 0)
        im->descriptors = add_descriptors(im->trace);
    return im->descriptors;
}

struct status import_add_descriptors(struct import *im, struct bytes set)
{
    const struct kept_descriptors *k = (const struct kept_descriptors *)im->descriptors;
    if (!k || k->file != stats_scope(im->trace)->file)
        im->descriptors = add_descriptors(im->trace);
    return descriptors_add(im->descriptors, set.p, set.n);
}

bool import_descriptors_restore(struct trace *t, struct byte_reader state)
{
    struct descriptors *d = add_descriptors(t);
    while (state.n > 0 && !state.failed) {
        struct str set = byte_reader_str(&state);
        struct status s = descriptors_add(d, (const uint8_t *)set.p, set.n);
        status_release(&s); /* what is malformed was so the first time */
    }
    return !state.failed;
}

struct descriptors *import_descriptors_last(struct trace *t)
{
    for (size_t i = t->args.decoders.count; i > 0; i--) {
        const struct args_decoder *d = &t->args.decoders.items[i - 1];
        if (d->name && strcmp(d->name, IMPORT_DESCRIPTORS_NAME) == 0)
            return &((struct kept_descriptors *)d->self)->own;
    }
    return NULL;
}

/* How much the next compressed packet may become. */
static size_t inflated_room(const struct import *im)
{
    size_t most = decompress_limit(im->input.n, INFLATED_MAX, INFLATED_RATIO_MAX);
    size_t left = im->inflated_size < most ? most - im->inflated_size : 0;
    return left < INFLATED_MAX ? left : INFLATED_MAX;
}

/* Only what may become as much. */
static bool take_from_ahead(struct import *im, struct bytes in, struct bytes *out)
{
    size_t room = inflated_room(im), left = budget_left(&im->trace->builder->unpacking);
    bool is_there = im->ahead && in.p >= im->input.p && in.p < im->input.p + im->input.n &&
                    inflate_ahead_take(im->ahead, in, out) && out->n < room && out->n < left;
    if (is_there) {
        budget_spend(&im->trace->builder->unpacking, out->n);
        im->inflated_size += out->n;
    }
    return is_there;
}

bool import_decompress(struct import *im, enum compression kind, struct bytes in, struct bytes *out)
{
    if (take_from_ahead(im, in, out))
        return true;
    struct decompressed d =
        decompress(kind, in, inflated_room(im), &im->trace->builder->unpacking, NULL);
    uint8_t *copy = arena_alloc_bytes(&im->inflated, d.n);
    if (d.n)
        memcpy(copy, d.p, d.n);
    *out = (struct bytes){copy, d.n};
    im->inflated_size += d.n;
    free(d.p);
    return d.whole;
}
