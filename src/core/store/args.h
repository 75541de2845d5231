/* Arg sets: the key/value rows that events, tracks and others refer to by a 4-byte arg_set_id.
 *
 * A set is a list of ready args, or a payload: bytes of the event's own encoding that a decoder
 * turns into args when somebody asks; or a list on top of what another decoder makes of another
 * set's payload. Equal lists share one set, and so do equal payloads of kinds that are often equal.
 * Ids count from 1; NULL_U32 is none.
 *
 * Payloads that lie in the trace file need not be copied and compared while it loads, which takes a
 * quarter of the time and which most sessions never need: where they lie is noted, and such a set's
 * id has the bit ARGS_DEFERRED. They are settled, all at once, before somebody reads the first of
 * them (core/trace/settled_args.h), and have ids like all others then.
 *
 * A kind of payload of which hardly any of the first 4096 were equal is appended without a look.
 * `args.id` counts the args of all sets before a row: a sum that the first scan of the table
 * makes. */
#ifndef TPTUI_CORE_STORE_ARGS_H
#define TPTUI_CORE_STORE_ARGS_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/byte_list.h"
#include "base/map.h"
#include "base/vec.h"
#include "core/store/arg_list.h"

/* What a parser provides so that its payloads can be read later. */
struct args_decoder {
    /* Appends the args of a payload to `out`, always the same for the same payload and context. Of
     * args with the same key the last one counts.
     * Called from any one thread at a time (args holds a lock). Malformed payloads give what can be
     * read. */
    void (*decode)(void *self, uint32_t context, const uint8_t *payload, size_t n,
                   struct arg_list *out);
    /* The same with an arg for what the payload leaves at its default. NULL: there is no such. */
    void (*decode_defaults)(void *self, uint32_t context, const uint8_t *payload, size_t n,
                            struct arg_list *out);
    void (*free)(void *self); /* with the trace; may be NULL */
    void *self;
    /* By what name a trace that is read from stored columns finds who makes such a decoder, and the
     * bytes that it is made from (core/trace/stored_columns.h). NULL: it cannot be stored; `save`
     * may be NULL where there are no bytes. */
    const char *name;
    void (*save)(void *self, struct byte_list *out);
};

/* Payloads with the same decoder and context. */
struct args_kind {
    uint32_t decoder, context;
    uint32_t tried, found; /* lookups of equal payloads */
    bool unshared;         /* they are seldom equal: each is a set of its own */
};

/* Sets, one behind the other; see args.c. */
struct args_area {
    VEC(uint8_t) bytes;
    VEC(uint32_t) laps; /* the first set of each further 2^place_bits bytes */
};

#define ARGS_DEFERRED (UINT32_C(1) << 31) /* the bit of an id */
#define ARGS_MOST     (ARGS_DEFERRED - 1)

/* The file that deferred payloads lie in, between the load and settling them. */
struct args_file {
    /* Maps it: its bytes. NULL: it cannot be mapped, or was changed. */
    const uint8_t *(*map)(void *self, size_t *n);
    void (*forget)(void *self); /* the pages that were read need not stay in memory */
    bool (*unmap)(void *self);  /* false: the file was changed while it was mapped */
    void (*free)(void *self);
    void *self;
};

enum args_state {
    ARGS_SETTLED,
    ARGS_UNSETTLED, /* there are deferred sets */
    ARGS_LOST,      /* their file was changed before they were settled */
};

struct args_deferred {
    const uint8_t *bytes; /* of the file, while it loads; NULL: nothing is deferred */
    size_t n;
    VEC(uint64_t) sets;    /* see core/store/args_deferred.c */
    uint32_t count;        /* of all, also of those that are noted elsewhere */
    VEC(uint32_t) numbers; /* of each of `sets`, where some are; else empty */
    bool elsewhere;
    VEC(uint8_t) on_top; /* sets on top of a deferred one */
    struct args_file file;
    _Atomic(enum args_state) state;
};

struct args {
    struct args_area shared, unshared; /* what is compared with others lies close together */
    VEC(uint32_t)
    places; /* of set id i at i - 1: low `place_bits` of where it begins, and a bit
               for those that are unshared */
    unsigned place_bits;
    uint64_t *slots; /* 32 bits of the hash above the set's id; 0 is empty */
    size_t cap, hashed;
    VEC(struct args_decoder) decoders;
    VEC(struct args_kind) kinds;
    struct map kind_numbers; /* decoder << 32 | context -> index of `kinds` */
    VEC(uint8_t) packed;     /* scratch */
    pthread_mutex_t lock;    /* around decoding */
    struct args_deferred deferred;
    VEC(uint32_t) row_starts; /* first row of each set in the args table; made at the first scan */
    /* Asked once before the first set is read, where sets come from stored columns: whether they
     * are sound. Where they are not there are none. NULL: nothing is to be asked. */
    bool (*check)(void *self);
    void *check_self;
};

void args_init(struct args *a);
void args_release(struct args *a);

/* The number of sets, less deferred ones; their ids are 1 to this. */
static inline uint32_t args_count(const struct args *a)
{
    return (uint32_t)a->places.count;
}

/* Takes over the decoder's `self`; returns its number. */
uint32_t args_add_decoder(struct args *a, struct args_decoder decoder);
/* The decoder that was added last of those that decode so, or NULL_U32: files may share it, as an
 * archive may have tens of thousands of them. */
uint32_t args_last_decoder(const struct args *a,
                           void (*decode)(void *self, uint32_t context, const uint8_t *payload,
                                          size_t n, struct arg_list *out));
/* The number of the kind that payloads of that decoder in that context are; the same each time. */
uint32_t args_kind(struct args *a, uint32_t decoder, uint32_t context);

/* The id of the set with these args (order counts), less replaced ones; NULL_U32 for an empty list.
 */
uint32_t args_intern(struct args *a, const struct arg_list *list);
/* The id of a set with this payload, whose bytes are copied. An empty payload is a set, too. */
uint32_t args_intern_payload(struct args *a, uint32_t kind, const uint8_t *payload, size_t n);

/* The same for who hands the id to no column but those that settled_args.h knows: the set is
 * deferred where the payload lies in the bytes of args_defer. */
uint32_t args_intern_payload_later(struct args *a, uint32_t kind, const uint8_t *payload, size_t n);

/* What a list is added to: the args that `kind` makes of the payload of another set. */
struct args_base {
    uint32_t set, kind;
};

/* The id of a set with the base's args followed by those of the list, which may be empty. */
uint32_t args_intern_on(struct args *a, struct args_base base, const struct arg_list *list);

/* From now on some deferred sets are noted by who has their payloads (core/trace/ftrace_rows.c),
 * with args_defer_elsewhere. Before they are settled, args_defer_all makes room for all, and
 * args_defer_next tells of each of these, in their order: of the first one at or behind number
 * `*next` that was not told, where its payload lies in the file; returns its id. */
void args_begin_elsewhere(struct args *a);
void args_defer_all(struct args *a);
uint32_t args_defer_next(struct args *a, uint32_t *next, uint32_t kind, uint64_t offset, size_t n);

/* While a trace loads: payloads in these bytes, which are those of a file, are deferred. Until it
 * is called with NULL, when the bytes are gone. */
void args_defer(struct args *a, const uint8_t *bytes, size_t n);
/* Whether there are deferred sets whose file is to be told: where it is found again. */
bool args_any_deferred(const struct args *a);
void args_deferred_lie_in(struct args *a, struct args_file file); /* the args' then */
/* After the load, when no set is added any more. */
void args_end_lookups(struct args *a);
/* For core/trace/settled_args.c, with the lock held: gives deferred sets their ids, which
 * args_settled_id finds until args_deferred_forget. False where they are lost. */
bool args_settle(struct args *a);
uint32_t args_settled_id(const struct args *a, uint32_t id);
void args_deferred_forget(struct args *a);

/* Reading is thread-safe, and takes the args of a loaded trace, which is const: what is found out
 * on the way is kept, and changes no set. */
/* Appends a set's args to `out`; nothing for NULL_U32 or an id out of range. */
void args_read(const struct args *a, uint32_t id, struct arg_list *out);
/* Appends what a payload decodes to that is in no set. */
void args_decode(const struct args *a, uint32_t kind, const uint8_t *payload, size_t n,
                 struct arg_list *out);
/* As args_read, with args for what the payload leaves at its default where the decoder has them. */
void args_read_defaults(const struct args *a, uint32_t id, struct arg_list *out);

/* After the load: number of rows of the args table, and which set a row belongs to. The first call
 * decodes every set once to count. */
uint64_t args_row_count(const struct args *a);
uint32_t args_row_start(const struct args *a, uint32_t id); /* first row of the set */

/* Whether all sets lie within the bytes that are there, their kinds are known, lists are whole, and
 * strings are below `string_count`: of sets that were stored. */
bool args_are_sound(const struct args *a, uint32_t string_count);

#endif
