/* Requests as HTTP archives tell of them, alone or in other recordings. */
#ifndef TPTUI_PARSERS_JSON_HAR_H
#define TPTUI_PARSERS_JSON_HAR_H

#include "parsers/input/json_scan.h"
#include "parsers/json/span_rows.h"

/* Adds an entry of an archive, with what it did when, as spans of `service`. Its times are moved by
 * `shift` ns. False where it tells no time. */
bool har_add_entry(struct span_rows *rows, struct json_value entry, string_id service,
                   int64_t shift);

#endif
