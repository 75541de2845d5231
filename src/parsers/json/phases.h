/* What the phase of an event means, in one place for all who read events: event.c, which keeps it,
 * apply.c, which makes rows of it, and cut.c, which has to know what is still felt of it after its
 * time. */
#ifndef TPTUI_PARSERS_JSON_PHASES_H
#define TPTUI_PARSERS_JSON_PHASES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What of an event before a window matters in it. */
enum json_felt {
    JSON_FELT_NOT,     /* nothing */
    JSON_FELT_ALWAYS,  /* it is about the whole trace, whenever it was told */
    JSON_FELT_PART,    /* of the profile that has its id: as long as samples need it */
    JSON_FELT_PROFILE, /* an instant with a whole profile, whose samples have times of their own */
    JSON_FELT_BEGIN,   /* a slice of the thread until JSON_FELT_END */
    JSON_FELT_END,
    JSON_FELT_COMPLETE,     /* a slice of the thread as long as it says */
    JSON_FELT_INSTANT,      /* one of no length, unless its scope is wider */
    JSON_FELT_FLOW,         /* as long as the thread's innermost slice */
    JSON_FELT_FLOW_BEGIN,   /* the same; the flow goes on from it */
    JSON_FELT_FLOW_STEP,    /* the same; another slice of the flow, from which it goes on */
    JSON_FELT_FLOW_TO_NEXT, /* as long as the thread's next slice; with "bp":"e" as the above */
    JSON_FELT_ASYNC_BEGIN,  /* by its id, until JSON_FELT_ASYNC_END */
    JSON_FELT_ASYNC_END,
    JSON_FELT_LAST, /* until the next of its process and name */
    JSON_FELT_DUR,  /* as long as it says */
};

/* P(phase, how it is kept: keep_... of event.c, how it is applied: apply_... of apply.c, what of it
 * is felt, whether its slice is bound to the flow that its bind_id names). Of phases that are not
 * here, which are counted, the thread is all that matters. */
#define JSON_PHASES(P)                                                                             \
    P('B', begin, begin, JSON_FELT_BEGIN, true)                                                    \
    P('E', end, end, JSON_FELT_END, false)                                                         \
    P('X', begin, complete, JSON_FELT_COMPLETE, true)                                              \
    P('i', instant, instant, JSON_FELT_INSTANT, false)                                             \
    P('I', instant, instant, JSON_FELT_INSTANT, false)                                             \
    P('R', instant, instant, JSON_FELT_INSTANT, false)                                             \
    P('b', async_begin, async, JSON_FELT_ASYNC_BEGIN, true)                                        \
    P('e', async_end, async, JSON_FELT_ASYNC_END, false)                                           \
    P('n', async_instant, async, JSON_FELT_NOT, true)                                              \
    P('s', flow, flow, JSON_FELT_FLOW_BEGIN, false)                                                \
    P('t', flow, flow, JSON_FELT_FLOW_STEP, false)                                                 \
    P('f', flow, flow, JSON_FELT_FLOW_TO_NEXT, false)                                              \
    P('C', counter, counter, JSON_FELT_LAST, false)                                                \
    P('T', thread_state, thread_state, JSON_FELT_DUR, false)                                       \
    P('M', metadata, metadata, JSON_FELT_ALWAYS, false)                                            \
    P('P', sample, sample, JSON_FELT_PART, false)                                                  \
    P('N', other, unread, JSON_FELT_NOT, false) /* objects */                                      \
    P('O', other, unread, JSON_FELT_NOT, false)                                                    \
    P('D', other, unread, JSON_FELT_NOT, false)                                                    \
    P('V', other, unread, JSON_FELT_NOT, false) /* memory dumps */                                 \
    P('v', other, unread, JSON_FELT_NOT, false)                                                    \
    P('(', other, unread, JSON_FELT_NOT, false) /* contexts */                                     \
    P(')', other, unread, JSON_FELT_NOT, false)                                                    \
    P('c', other, unread, JSON_FELT_NOT, false) /* a clock sync */                                 \
    P('=', other, unread, JSON_FELT_NOT, false) /* ids that are linked */                          \
    P('S', other, unread, JSON_FELT_NOT, false) /* asynchronous slices of old, and their steps */  \
    P('F', other, unread, JSON_FELT_NOT, false)                                                    \
    P('p', other, unread, JSON_FELT_NOT, false)

static inline bool json_phase_binds(char phase)
{
    switch (phase) {
#define P(letter, keep, apply, felt, binds)                                                        \
    case letter:                                                                                   \
        return binds;
        JSON_PHASES(P)
#undef P
    default:
        return false;
    }
}

/* The phase of JSON_FELT_FLOW_BEGIN. */
#define JSON_PHASE_FLOW_BEGINS "s"

/* The category of events of phase T that are states of threads; others are steps of asynchronous
 * slices of old, as those of phase p. */
#define JSON_OF_STATES "thread_state"

/* An instant of this name that has args holds a profile of the whole recording. */
#define JSON_WHOLE_PROFILE "CpuProfile"

/* What a slice is called that has no name. */
#define JSON_NO_NAME "[No name]"

#endif
