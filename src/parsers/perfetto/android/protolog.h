/* ProtoLog: log lines whose format stands in a viewer config, known by a number. */
#ifndef TPTUI_PARSERS_PERFETTO_ANDROID_PROTOLOG_H
#define TPTUI_PARSERS_PERFETTO_ANDROID_PROTOLOG_H

#include "parsers/perfetto/packets/modules.h"

extern const struct packet_module protolog_packets[];

#endif
