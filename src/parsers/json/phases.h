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
    JSON_FELT_WITH_ID, /* a part of what has its id, and about as much; else nothing */
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
 * is felt). Of phases that are not here, which are counted, the thread is all that matters. */
#define JSON_PHASES(P)                                                                             \
    P('B', begin, begin, JSON_FELT_BEGIN)                                                          \
    P('E', end, end, JSON_FELT_END)                                                                \
    P('X', begin, complete, JSON_FELT_COMPLETE)                                                    \
    P('i', instant, instant, JSON_FELT_INSTANT)                                                    \
    P('I', instant, instant, JSON_FELT_INSTANT)                                                    \
    P('R', instant, instant, JSON_FELT_INSTANT)                                                    \
    P('b', async_begin, async, JSON_FELT_ASYNC_BEGIN)                                              \
    P('e', async_end, async, JSON_FELT_ASYNC_END)                                                  \
    P('n', async_instant, async, JSON_FELT_NOT)                                                    \
    P('s', flow, flow, JSON_FELT_FLOW_BEGIN)                                                       \
    P('t', flow, flow, JSON_FELT_FLOW_STEP)                                                        \
    P('f', flow, flow, JSON_FELT_FLOW_TO_NEXT)                                                     \
    P('C', counter, counter, JSON_FELT_LAST)                                                       \
    P('T', thread_state, thread_state, JSON_FELT_DUR)                                              \
    P('M', metadata, metadata, JSON_FELT_ALWAYS)                                                   \
    P('P', sample, sample, JSON_FELT_WITH_ID)                                                      \
    P('N', other, unread, JSON_FELT_NOT) /* objects */                                             \
    P('O', other, unread, JSON_FELT_NOT)                                                           \
    P('D', other, unread, JSON_FELT_NOT)                                                           \
    P('V', other, unread, JSON_FELT_NOT) /* memory dumps */                                        \
    P('v', other, unread, JSON_FELT_NOT)                                                           \
    P('(', other, unread, JSON_FELT_NOT) /* contexts */                                            \
    P(')', other, unread, JSON_FELT_NOT)                                                           \
    P('c', other, unread, JSON_FELT_NOT) /* a clock sync */                                        \
    P('=', other, unread, JSON_FELT_NOT) /* ids that are linked */                                 \
    P('S', other, unread, JSON_FELT_NOT) /* asynchronous slices of old, and their steps */         \
    P('F', other, unread, JSON_FELT_NOT)                                                           \
    P('p', other, unread, JSON_FELT_NOT)

/* Whether an event's slice is bound to the flow that its bind_id names. */
static inline bool json_phase_binds(char phase)
{
    return phase == 'B' || phase == 'X' || phase == 'b' || phase == 'n';
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
