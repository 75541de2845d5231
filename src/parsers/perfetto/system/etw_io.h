/* Windows' file and disk operations, on tracks of the thread that tells them. Those of files last
 * from the event that starts one to the one that ends it, which name the same I/O request packet;
 * events of disks are slices of their own, as long as their response time. */
#ifndef TPTUI_PARSERS_PERFETTO_SYSTEM_ETW_IO_H
#define TPTUI_PARSERS_PERFETTO_SYSTEM_ETW_IO_H

#include <stdbool.h>
#include <stdint.h>

#include "parsers/perfetto/system/etw.h"
#include "parsers/proto/wire.h"

/* `number` is the field of EtwTraceEvent that the message was in. */
bool etw_is_file_io(uint32_t number);
void etw_file_io(struct import *im, const struct etw_event *e, uint32_t number, struct pb_reader r);
void etw_disk_io(struct import *im, const struct etw_event *e, struct pb_reader r);
/* What is felt of the message, if it is one of these. */
void etw_io_say(uint32_t number, struct pb_reader r, int64_t ts, struct packet_felt_sink *out);

#endif
