/* What the files about Windows' events share. */
#ifndef TPTUI_PARSERS_PERFETTO_SYSTEM_ETW_H
#define TPTUI_PARSERS_PERFETTO_SYSTEM_ETW_H

#include "parsers/perfetto/packets/modules.h"

/* One event in its turn. */
struct etw_event {
    int64_t ts;
    uint32_t machine, cpu;
    int64_t tid; /* of the thread that caused it */
};

/* etw_io.c; `number` is the field of EtwTraceEvent that the message was in. */
bool etw_is_file_io(uint32_t number);
void etw_file_io(struct import *im, const struct etw_event *e, uint32_t number, struct pb_reader r);
void etw_disk_io(struct import *im, const struct etw_event *e, struct pb_reader r);

#endif
