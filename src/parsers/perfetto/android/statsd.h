/* Atoms of statsd: instants on one track, called by what they are. */
#ifndef TPTUI_PARSERS_PERFETTO_ANDROID_STATSD_H
#define TPTUI_PARSERS_PERFETTO_ANDROID_STATSD_H

#include "parsers/perfetto/packets/modules.h"

extern const struct packet_module statsd_packets[];

#endif
