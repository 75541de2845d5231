/* The phases of legacy track events, which are those of Chrome's JSON. */
#ifndef TPTUI_PARSERS_PERFETTO_TRACK_EVENT_TRACK_EVENT_PHASES_H
#define TPTUI_PARSERS_PERFETTO_TRACK_EVENT_TRACK_EVENT_PHASES_H

#include "parsers/perfetto/track_event/track_event_read.h"

struct arg_list;

/* Where an event with a phase happens. */
enum phase_place {
    PLACE_OWN,         /* the track that it names, else its thread */
    PLACE_SCOPE,       /* its thread, or its process or the whole trace where it says so */
    PLACE_ASYNC_BEGIN, /* the track of its id, on which it begins, ends, or does both at once */
    PLACE_ASYNC_END,
    PLACE_ASYNC_POINT,
};

/* What an event with a phase, or of a type, covers, for who cuts a window out of a trace. */
enum phase_span {
    SPAN_UNSAID, /* none that means anything may leave it out: tests/test_ftrace_felt.c */
    SPAN_MOMENT, /* its own time */
    SPAN_BEGIN,  /* all up to the end on the same track */
    SPAN_END,
    SPAN_DURATION, /* as long as it says */
    SPAN_LAST,     /* all up to the next one on the same track */
    SPAN_ALWAYS,   /* the whole trace */
};

/* What a phase means: a letter by which the events of the Trace Event Format (Chrome's JSON) say
 * what they are, and legacy track events still do. */
struct phase {
    bool (*apply)(struct import *im, struct track_event *e, const struct phase *phase);
    enum phase_place place;
    enum phase_span span;
    char letter;
    bool of_thread; /* happens on a thread only, and has its times */
    bool named;     /* ids are apart by name, not by category */
    bool in_args;   /* the letter becomes an arg */
    bool has_flows; /* the flows of the event go through its slice */
};

/* What a type of track events means: the same as a phase, or what no phase is for. */
struct event_type {
    char on_thread, elsewhere;                               /* letters; 0: none */
    enum phase_span span;                                    /* without a letter */
    bool (*apply)(struct import *im, struct track_event *e); /* likewise */
};

enum { PHASES = 128, EVENT_TYPES = 6 };

/* By letter; defined beside the functions that apply slices (track_event_parse.c). */
extern const struct phase track_event_phases[PHASES];
/* By TrackEvent.type; likewise. */
extern const struct event_type track_event_types[EVENT_TYPES];

/* Never NULL. */
static inline const struct phase *phase_of_letter(int32_t letter)
{
    return &track_event_phases[letter >= 0 && letter < PHASES ? letter : 0];
}

/* Never NULL; that of type 0 has no meaning. */
static inline const struct event_type *type_of_event(int32_t type)
{
    return &track_event_types[type >= 0 && type < EVENT_TYPES ? type : 0];
}

/* The phase that the event names; that of letter 0, which has no meaning, where it names none. */
static inline const struct phase *legacy_phase(const struct track_event *e)
{
    return phase_of_letter(e->legacy.has_phase ? e->legacy.phase : 0);
}

/* The phase that the event names, or that of its type, on a thread or elsewhere; that of letter 0
 * where there is none. */
static inline const struct phase *phase_of_event(const struct track_event *e, bool on_thread)
{
    const struct event_type *type = type_of_event(e->type);
    if (e->legacy.has_phase)
        return legacy_phase(e);
    return phase_of_letter(on_thread ? type->on_thread : type->elsewhere);
}

/* Whether the event means anything. */
static inline bool event_has_meaning(const struct track_event *e)
{
    return e->type != 0 || e->legacy.has_phase;
}

/* Whether it happens on the track of an id. */
static inline bool phase_is_async(const struct phase *phase)
{
    return phase->place >= PLACE_ASYNC_BEGIN;
}

#endif
