/* Transactions: what apps ask SurfaceFlinger to change. */
#ifndef TPTUI_PARSERS_PERFETTO_WINSCOPE_WINSCOPE_TRANSACTIONS_H
#define TPTUI_PARSERS_PERFETTO_WINSCOPE_WINSCOPE_TRANSACTIONS_H

#include "parsers/perfetto/packets/modules.h"

extern const struct packet_module winscope_transactions_packets[];

#endif
