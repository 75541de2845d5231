/* Descriptors that a trace carries. */
#ifndef TPTUI_PARSERS_PERFETTO_PACKETS_EXTENSIONS_H
#define TPTUI_PARSERS_PERFETTO_PACKETS_EXTENSIONS_H

#include "base/status.h"
#include "parsers/perfetto/packets/import.h"

/* Adds a set to those of import_descriptors, while packets are read and before anything keeps the
 * pointer that it gives. */
struct status import_add_descriptors(struct import *im, struct bytes set);

#endif
