/* Samples of V8's CPU profiler that Chrome sends as legacy events of phase P, as JSON. */
#ifndef TPTUI_PARSERS_PERFETTO_TRACK_EVENT_V8_SAMPLES_H
#define TPTUI_PARSERS_PERFETTO_TRACK_EVENT_V8_SAMPLES_H

#include "parsers/perfetto/packets/import.h"

/* Takes the samples of the packet's event where its legacy event has that phase, while reading:
 * their times follow one from the other. */
void v8_samples_tokenize(struct import *im, const struct packet *p, struct bytes legacy);

#endif
