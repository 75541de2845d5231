/* A recording as one of Perfetto's configs asks for it. */
#ifndef TPTUI_RECORD_CONFIG_H
#define TPTUI_RECORD_CONFIG_H

#include "base/arena.h"
#include "record/record.h"

/* Reads a TraceConfig, as text or encoded, into `settings`, where these do not say otherwise
 * already. What has no counterpart here is said (settings->listener), field by field. Texts are in
 * `texts`, `name` is the file's. */
struct status record_config_read(struct record_settings *settings, struct arena *texts,
                                 const char *name, struct str file);

#endif
