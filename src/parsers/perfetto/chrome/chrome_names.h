/* Names for Chrome's kinds of processes and threads. */
#ifndef TPTUI_PARSERS_PERFETTO_CHROME_CHROME_NAMES_H
#define TPTUI_PARSERS_PERFETTO_CHROME_CHROME_NAMES_H

#include <stdbool.h>
#include <stdint.h>

/* Of ChromeProcessDescriptor.process_type, ChromeThreadDescriptor.thread_type; NULL for unknown
 * ones. */
const char *chrome_process_name(int32_t type);
const char *chrome_thread_name(int32_t type);
/* Whether it shows pages, of which there are many processes. */
bool chrome_process_is_renderer(int32_t type);

#endif
