/* What becomes of packets outside of a window, by their payload. */
#ifndef TPTUI_PARSERS_PERFETTO_WINDOW_PACKET_POLICY_H
#define TPTUI_PARSERS_PERFETTO_WINDOW_PACKET_POLICY_H

#include <stdint.h>

enum packet_policy {
    POLICY_DROP_OUTSIDE,   /* events: only those in the window */
    POLICY_KEEP,           /* about the whole trace */
    POLICY_KEEP_EARLY,     /* the same; before the window, in its turn among what is told again */
    POLICY_KEEP_LAST,      /* values: those that hold when the window begins */
    POLICY_FTRACE,         /* a bundle of events */
    POLICY_TRACK_EVENT,    /* by what it does to its track */
    POLICY_FRAME_TIMELINE, /* begins and ends, by cookie */
    POLICY_LOGS,           /* messages with times of their own */
    POLICY_NEVER,          /* what it would do is done already */
};

/* `field` is the number of the payload in TracePacket, 0 for none. */
enum packet_policy packet_policy_of(uint32_t field);

#endif
