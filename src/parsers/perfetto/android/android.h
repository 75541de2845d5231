/* Android's logs, properties, packages, users and flags. */
#ifndef TPTUI_PARSERS_PERFETTO_ANDROID_ANDROID_H
#define TPTUI_PARSERS_PERFETTO_ANDROID_ANDROID_H

#include "parsers/perfetto/packets/modules.h"

extern const struct packet_module android_packets[];

#endif
