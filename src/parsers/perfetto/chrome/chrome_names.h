/* Names for Chrome's kinds of processes and threads. */
#ifndef TPTUI_PARSERS_PERFETTO_CHROME_CHROME_NAMES_H
#define TPTUI_PARSERS_PERFETTO_CHROME_CHROME_NAMES_H

#include <stdint.h>

/* Of ChromeProcessDescriptor.process_type, ChromeThreadDescriptor.thread_type; NULL for unknown
 * ones. */
const char *chrome_process_name(int32_t type);
const char *chrome_thread_name(int32_t type);

#endif
