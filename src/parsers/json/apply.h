/* Turns the records of a JSON trace into rows, in time order. */
#ifndef TPTUI_PARSERS_JSON_APPLY_H
#define TPTUI_PARSERS_JSON_APPLY_H

#include "base/status.h"

struct json_import;

/* Sorts and applies all records; an error where loading was cancelled. */
struct status json_apply(struct json_import *im);

#endif
