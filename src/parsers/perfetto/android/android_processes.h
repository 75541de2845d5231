/* Starts and deaths of apps' processes as Android's system server reports them in track events. */
#ifndef TPTUI_PARSERS_PERFETTO_ANDROID_ANDROID_PROCESSES_H
#define TPTUI_PARSERS_PERFETTO_ANDROID_ANDROID_PROCESSES_H

#include "parsers/perfetto/packets/modules.h"
#include "parsers/proto/wire.h"

extern const struct packet_module android_processes_packets[];

/* Messages of track events: AndroidProcessStartEvent, AndroidBinderDiedEvent. */
void android_process_started(struct import *im, uint32_t machine, int64_t ts, struct pb_reader r);
void android_process_died(struct import *im, uint32_t machine, int64_t ts, struct pb_reader r);

#endif
