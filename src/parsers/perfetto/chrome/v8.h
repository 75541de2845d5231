/* V8's code: isolates, scripts, functions, and the machine code and bytecode that is made of them.
 */
#ifndef TPTUI_PARSERS_PERFETTO_CHROME_V8_H
#define TPTUI_PARSERS_PERFETTO_CHROME_V8_H

#include "parsers/perfetto/packets/modules.h"

extern const struct packet_module v8_packets[];

#endif
