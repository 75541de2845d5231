/* Walks a trace's packets in file order: keeps sequence state and clocks, inflates, and hands each
 * packet to its module, or to the sorter. */
#ifndef TPTUI_PARSERS_PERFETTO_PACKETS_READER_H
#define TPTUI_PARSERS_PERFETTO_PACKETS_READER_H

#include <stdbool.h>

#include "base/status.h"
#include "parsers/input/bytes.h"

struct import;

/* Whether the bytes look like packets of a trace. */
bool packets_sniff(struct bytes head);
/* Whether a file that begins like this has nothing but names for what other files of an archive
 * recorded: functions for addresses, class names from before an obfuscator shortened them. */
bool packets_only_name(struct bytes head);
/* Reads all of im->input. What is corrupt is counted, and reading goes on behind it; an error only
 * where loading was cancelled. */
struct status packets_read(struct import *im);

#endif
