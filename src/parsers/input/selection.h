/* What of the time before a window matters in it: of counters and the like the last value, of what
 * begins and ends that which has not ended. Items are known by a number that says where they stand
 * in the file. */
#ifndef TPTUI_PARSERS_INPUT_SELECTION_H
#define TPTUI_PARSERS_INPUT_SELECTION_H

#include <stdbool.h>
#include <stdint.h>

#include "base/map.h"
#include "base/vec.h"

/* Its place in the file: the packet's number, and what it is in the packet. */
enum { ITEM_PART_BITS = 24 };

static inline uint64_t item_number(uint64_t packet, uint32_t part)
{
    return packet << ITEM_PART_BITS | part;
}

struct window_item {
    int64_t ts;
    uint64_t number;
    int64_t dur;   /* among those of one time what lasts longer comes first; 0: it does not say */
    uint64_t sum;  /* of what it and those of its key before it tell; where it counts */
    uint32_t lane; /* among those of one time, what is in a lower one comes first */
    bool stays;    /* it is told at its own time */
    bool whole_us; /* it is told whole us later, as it says how long it lasts in us */
};

enum mark_kind {
    MARK_BEGIN,
    MARK_COMPLETE,   /* a begin that says how long it lasts: `dur` */
    MARK_BEGIN_ONCE, /* only where nothing of the key is open */
    MARK_STEP,       /* takes the place of what is open, where anything is */
    /* The innermost with that name ends, and what is open in it, as soon as time passes; a name of
     * 0 fits any. */
    MARK_END,
    /* Messages: `key` is that of the message, `other` that of the thread. */
    MARK_SEND,    /* is needed until it is received */
    MARK_CALL,    /* begins something on the thread */
    MARK_REPLY,   /* ends what receiving the call began on the thread */
    MARK_RECEIVE, /* begins something where it was a call, and ends the call where it was a reply */
    /* Belongs to the innermost that is open, and is needed as long as that is: its args, its state.
     * The name and category are those of an end. */
    MARK_NOTE,
    MARK_PRELUDE, /* belongs to what begins next */
    MARK_SETTLE,  /* nothing has begun since the prelude, or it is a note */
    MARK_RENEW,   /* the key means something else from now on; what is open stays so */
    /* The last of its key, told by an event that also begins or ends something: its mark comes
     * right behind the other. */
    MARK_LAST,
    MARK_QUEUE,   /* joins a queue; one of a higher category makes those of lower ones leave, and
                   * then none of those joins */
    MARK_DEQUEUE, /* the first of the queue leaves, if its number, `other`, is no higher */
    MARK_PASS,    /* does nothing but what `use` says */
};

/* Where `key` is that of a set of tracks (core/track_set.h), of which `holder` holds one: what the
 * mark does to that. What begins there and ends is that track's. The set is also that of the first
 * name, `other`, of the holder. */
enum mark_use { MARK_TAKES = 1, MARK_GIVES = 2, MARK_TAKES_AND_GIVES = 3 };

struct window_mark {
    int64_t ts;
    uint64_t key, other, number; /* other: of what begins and ends, a hash of its name */
    uint64_t holder;             /* 0: the key is no set's */
    int64_t dur;                 /* of MARK_COMPLETE */
    uint32_t category;           /* 0: none; an end with one only ends what has the same */
    uint8_t kind;                /* enum mark_kind */
    uint8_t use;                 /* enum mark_use */
    bool stays : 1;              /* as in struct window_item */
    bool whole_us : 1;           /* likewise */
    bool on_demand : 1;          /* counts only where the window asks for the key */
    uint16_t lane;               /* likewise */
};

enum { OPEN_MARKS_MAX = 512 }; /* what begins inside of so many counts for nothing */

/* What of a key is next to the window's end, on both sides. */
struct window_crossing {
    struct window_item before, behind;
    bool has_before, has_behind;
    bool begins, ends; /* before; behind */
};

struct selection {
    struct map last_by_key; /* -> index in `last` */
    struct map crossing;    /* key -> index in `crossings` */
    VEC(struct window_crossing) crossings;
    VEC(struct window_item) last;
    VEC(struct window_item) kept;
    VEC(struct window_mark) marks;
    struct map asked; /* keys that the window asks for; in the end 1 where something is open */
    struct map first_names; /* by holder; also of those whose marks were dropped */
    size_t fold_at;         /* count of marks at which those that cancel out are dropped */
    int64_t latest;         /* of the marks */
};

/* The item replaces what the key had before it. */
void selection_last(struct selection *s, uint64_t key, int64_t ts, uint64_t number);
void selection_last_item(struct selection *s, uint64_t key, const struct window_item *item);
/* The same, and the item before it is needed, too. */
void selection_last_two(struct selection *s, uint64_t key, int64_t ts, uint64_t number);
/* What the key has first. */
void selection_first(struct selection *s, uint64_t key, const struct window_item *item);
/* Begins and ends of what goes on behind the window's end, without others inside: the item behind
 * it is needed where it comes next to a begin, and is an end. */
void selection_before_end(struct selection *s, uint64_t key, const struct window_item *item,
                          bool begins);
void selection_behind_end(struct selection *s, uint64_t key, const struct window_item *item,
                          bool begins);
/* The item replaces what the key had before it, and adds its sum to that. */
void selection_sum(struct selection *s, uint64_t key, const struct window_item *item);
/* Marks of one item belong together: where one is needed, so are the others, and what begins or
 * ends with them, as they cannot be told apart. */
/* Something of a key begins, or the innermost that is open ends. In any order of time; at equal
 * times, in order of their numbers. */
void selection_mark(struct selection *s, const struct window_mark *m);
/* The window is interested in marks of the key that count on demand. At any time. */
void selection_ask(struct selection *s, uint64_t key);
/* At the end: nothing is open of a key that it asks for. */
bool selection_asks_in_vain(const struct selection *s, uint64_t key);
/* The item is needed. */
void selection_keep(struct selection *s, int64_t ts, uint64_t number);
void selection_keep_lasting(struct selection *s, int64_t ts, int64_t dur, uint64_t number);
void selection_keep_item(struct selection *s, const struct window_item *item);
/* All that is needed from `from` on, in `kept`, in order of time. At the end. */
void selection_finish(struct selection *s, int64_t from);
void selection_release(struct selection *s);

#endif
