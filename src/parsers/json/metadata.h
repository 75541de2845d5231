/* Metadata of traces that are JSON. */
#ifndef TPTUI_PARSERS_JSON_METADATA_H
#define TPTUI_PARSERS_JSON_METADATA_H

#include "base/str.h"
#include "core/trace_builder.h"

/* A row of metadata for each member of a JSON object that is not null, named PREFIX and its key. */
void json_metadata(struct trace *t, const char *prefix, struct str object);

#endif
