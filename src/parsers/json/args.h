/* Args of events that are JSON: objects as they stand in the file, decoded when somebody asks. */
#ifndef TPTUI_PARSERS_JSON_ARGS_H
#define TPTUI_PARSERS_JSON_ARGS_H

#include <stdint.h>

#include <stdbool.h>

#include "base/byte_list.h"
#include "base/str.h"

struct trace;

/* Registers the decoder; the kind of payload for args_intern_payload. The args' keys begin with
 * `prefix`, a literal. */
uint32_t json_args_kind(struct trace *t, struct str prefix);
/* Brings the decoder back (core/trace/stored_columns.h). */
bool json_args_restore(struct trace *t, struct byte_reader state);
#define JSON_ARGS_NAME "json"

#endif
