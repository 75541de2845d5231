/* Events of the modem of Pixel phones: instants by domain. An event is the number of a text, which
 * the trace's database has, and the values that belong into it, as Pigweed's tokenizer writes them.
 */
#ifndef TPTUI_PARSERS_PERFETTO_ANDROID_PIXEL_MODEM_H
#define TPTUI_PARSERS_PERFETTO_ANDROID_PIXEL_MODEM_H

#include "parsers/perfetto/packets/modules.h"

extern const struct packet_module pixel_modem_packets[];

#endif
