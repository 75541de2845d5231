/* Which of the formats that are JSON a file is, by the names of the members that come first. */
#ifndef TPTUI_PARSERS_INPUT_JSON_KIND_H
#define TPTUI_PARSERS_INPUT_JSON_KIND_H

#include "parsers/input/bytes.h"

enum json_kind {
    JSON_KIND_NONE,  /* not JSON */
    JSON_KIND_TRACE, /* events, as Chrome writes them; also what is none of the others */
    JSON_KIND_GECKO,
    JSON_KIND_CPU_PROFILE,
    JSON_KIND_HEAP_PROFILE,
    JSON_KIND_HEAP_SNAPSHOT,
    JSON_KIND_SPEEDSCOPE,
    JSON_KIND_STACKPROF,
    JSON_KIND_PERF,
    JSON_KIND_LOG,
    JSON_KIND_SPANS,
    JSON_KIND_HAR,
    JSON_KIND_WEB_RECORDING,
    JSON_KIND_GHC_PROFILE,
    JSON_KIND_DHAT,
    JSON_KIND_V8_TICKS,
};

/* Looks at the first megabyte only. */
enum json_kind json_kind(struct bytes data);

#endif
