/* Args of events that are JSON: objects as they stand in the file, decoded when somebody asks. */
#ifndef TPTUI_PARSERS_JSON_ARGS_H
#define TPTUI_PARSERS_JSON_ARGS_H

#include <stdint.h>

#include "base/str.h"

struct trace;

/* Registers the decoder; the kind of payload for args_intern_payload. The args' keys begin with
 * `prefix`, a literal. */
uint32_t json_args_kind(struct trace *t, struct str prefix);

#endif
