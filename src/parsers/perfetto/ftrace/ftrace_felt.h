/* What is felt of an ftrace event once it has passed. A row of a handlers' table
 * (ftrace_handlers.h) says it beside what the event does; who cuts a window out of a trace reads it
 * there, and tells again right before the window what is felt in it. */
#ifndef TPTUI_PARSERS_PERFETTO_FTRACE_FTRACE_FELT_H
#define TPTUI_PARSERS_PERFETTO_FTRACE_FTRACE_FELT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/map.h"
#include "base/str.h"
#include "base/vec.h"
#include "parsers/input/sched_state.h"
#include "parsers/input/selection.h"

struct atrace_point;
struct ftrace_event;
struct felt_sink;

enum felt_kind {
    FELT_UNSAID,    /* no row may leave it out: tests/test_ftrace_felt.c */
    FELT_MOMENT,    /* nothing */
    FELT_LAST,      /* the last one of its key: values, states */
    FELT_SUM,       /* the same, with the sum of the field `value` over all of them */
    FELT_BEGIN,     /* something begins on the key's track, */
    FELT_END,       /* and the innermost that fits ends: it, and what is open in it */
    FELT_SWITCH,    /* a begin where the field `value` is not 0, else an end */
    FELT_NOTE,      /* it belongs to the innermost that is open */
    FELT_ALWAYS,    /* each one: who is born, renamed, dies */
    FELT_OTHERWISE, /* `say` tells */
};

/* Whose tracks: what is in the key beside the fields. */
enum felt_owner {
    FELT_OF_ALL,
    FELT_OF_CPU,    /* on which it happened */
    FELT_OF_THREAD, /* to which it happened */
    FELT_ON_THREAD, /* the one track that all slices of a thread share; `track` is not read */
};

/* A slice's category, where an end asks for it. */
enum felt_category { FELT_ANY, FELT_BINDER, FELT_BINDER_LOCK, FELT_TIPC, FELT_WORK, FELT_WRITE };

enum { FELT_KEYS = 3 };

struct felt {
    enum felt_kind kind;
    enum felt_owner owner;
    uint32_t track;          /* the event after which the track is called; 0: the row's own */
    uint32_t key[FELT_KEYS]; /* fields that say which track; 0: none */
    uint32_t name;           /* the field that names what begins, or what an end asks for */
    uint32_t value;
    enum felt_category category;
    void (*say)(const struct ftrace_event *e, struct felt_sink *out);
    bool first_too;   /* of FELT_LAST: the first one names the track, or numbers it */
    int32_t lasts_ns; /* from its time on, where its row knows */
    bool tells_owner; /* it may say which process a thread is of, which holds before it, too */
};

/* For rows. The fields of keys stand in the same order in all rows of a track. */
#define FELT_NOTHING                                                                               \
    {                                                                                              \
        .kind = FELT_MOMENT                                                                        \
    }
#define FELT_LAST_ONE                                                                              \
    {                                                                                              \
        .kind = FELT_LAST                                                                          \
    }
#define FELT_LAST_BY(...)                                                                          \
    {                                                                                              \
        .kind = FELT_LAST, .key = { __VA_ARGS__ }                                                  \
    }
#define FELT_LAST_ON(TRACK, ...)                                                                   \
    {                                                                                              \
        .kind = FELT_LAST, .track = TRACK, .key = { __VA_ARGS__ }                                  \
    }
#define FELT_BEGINS_BY(...)                                                                        \
    {                                                                                              \
        .kind = FELT_BEGIN, .key = { __VA_ARGS__ }                                                 \
    }
#define FELT_BEGINS_ON(TRACK, ...)                                                                 \
    {                                                                                              \
        .kind = FELT_BEGIN, .track = TRACK, .key = { __VA_ARGS__ }                                 \
    }
#define FELT_ENDS_ON(TRACK, ...)                                                                   \
    {                                                                                              \
        .kind = FELT_END, .track = TRACK, .key = { __VA_ARGS__ }                                   \
    }
#define FELT_BEGINS_ON_CPU                                                                         \
    {                                                                                              \
        .kind = FELT_BEGIN, .owner = FELT_OF_CPU                                                   \
    }
#define FELT_BEGINS_ON_CPU_AS(TRACK)                                                               \
    {                                                                                              \
        .kind = FELT_BEGIN, .owner = FELT_OF_CPU, .track = TRACK                                   \
    }
#define FELT_ENDS_ON_CPU(TRACK)                                                                    \
    {                                                                                              \
        .kind = FELT_END, .owner = FELT_OF_CPU, .track = TRACK                                     \
    }
#define FELT_NOTES_ON_CPU(TRACK)                                                                   \
    {                                                                                              \
        .kind = FELT_NOTE, .owner = FELT_OF_CPU, .track = TRACK                                    \
    }
#define FELT_BEGINS_ON_THREAD(CATEGORY)                                                            \
    {                                                                                              \
        .kind = FELT_BEGIN, .owner = FELT_ON_THREAD, .category = CATEGORY                          \
    }
#define FELT_ENDS_ON_THREAD(CATEGORY)                                                              \
    {                                                                                              \
        .kind = FELT_END, .owner = FELT_ON_THREAD, .category = CATEGORY                            \
    }
#define FELT_SAID_BY(FUNCTION)                                                                     \
    {                                                                                              \
        .kind = FELT_OTHERWISE, .say = FUNCTION                                                    \
    }
/* The same; it may also say which process a thread is of. */
#define FELT_OWNER_SAID_BY(FUNCTION)                                                               \
    {                                                                                              \
        .kind = FELT_OTHERWISE, .say = FUNCTION, .tells_owner = true                               \
    }

/* Which process a thread was last said to be of, by events that are not told again for it. */
struct thread_owner {
    uint64_t raw_machine; /* that packets name */
    uint32_t machine, tid;
    int64_t tgid; /* 0: its number has come to mean another thread */
    int64_t ts;
};

struct thread_owners {
    struct map by_thread;
    VEC(struct thread_owner) v;
    uint32_t told;    /* position of the one that was spoken of last + 1 */
    struct map named; /* machine << 32 | tid of those whose names are asked for */
};

void thread_owners_release(struct thread_owners *o);

/* What runs and waits, and the cpu of the event in it. */
struct felt_sched {
    struct sched_states *states; /* NULL: nobody asks */
    uint32_t cpu;
};

/* Where it goes. */
struct felt_sink {
    struct selection *selection; /* NULL: only owners of threads are asked for */
    struct thread_owners *owners;
    struct felt_sched sched;
    int64_t from; /* of the window */
    uint64_t raw_machine;
    struct window_item item; /* the event: its time, place and lane */
};

/* What a row says of its event. `e` needs no utid, args or tables. */
void ftrace_felt_add(const struct felt *felt, const struct ftrace_event *e, struct felt_sink *out);

/* For `say`. A key's parts: what the track is called after, the fields, whose it is. */
uint64_t felt_key(const struct ftrace_event *e, uint32_t track);
uint64_t felt_key_by(uint64_t key, const struct ftrace_event *e, uint32_t field);
uint64_t felt_key_of_thread(const struct ftrace_event *e, uint32_t track);
uint64_t felt_thread_track(const struct ftrace_event *e, uint32_t pid);
/* 0 only for "" and 0. */
uint64_t felt_field_hash(const struct ftrace_event *e, uint32_t field);
/* The name of a slice that is called after the field; never 0. */
uint64_t felt_name(const struct ftrace_event *e, uint32_t field);
/* 0, which fits any, only for a text without bytes. */
uint64_t felt_text_name(struct str text);

void felt_last(struct felt_sink *out, uint64_t key);
void felt_first(struct felt_sink *out, uint64_t key);
/* `name` and `category` as in struct window_mark, whose contract `kind` has, too. */
void felt_mark(struct felt_sink *out, enum mark_kind kind, uint64_t key,
               enum felt_category category, uint64_t name);
/* The last of the key, of an event that was just marked, too. */
void felt_last_of_mark(struct felt_sink *out, uint64_t key);
/* At its own time, not right before the window. */
void felt_stay(struct felt_sink *out, enum mark_kind kind, uint64_t key);
/* The thread's name matters at the event's time. */
void felt_named(struct felt_sink *out, uint32_t machine, uint32_t tid);
/* The event says that the thread belongs to the process. */
void felt_process(struct felt_sink *out, uint32_t machine, uint32_t tid, int64_t tgid);
/* The thread's number means another thread from now on. */
void felt_renewed(const struct ftrace_event *e, uint32_t pid, struct felt_sink *out);

#endif
