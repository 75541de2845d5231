/* Numbers for pids and tids that are texts. Trace Processor takes where the text stands in its
 * table of strings: behind those that are always there, and behind all texts that came before. */
#ifndef TPTUI_PARSERS_JSON_NUMBERS_H
#define TPTUI_PARSERS_JSON_NUMBERS_H

#include "base/map.h"
#include "base/str.h"

struct trace;

/* The member of a document that says them, so that a part of a trace has those of the whole; it
 * stands in front of the events. */
#define JSON_NUMBERS_MEMBER "tptuiTextNumbers"

struct json_numbers {
    struct map by_text; /* by the text's hash */
    int64_t next;
};

/* `packed`: of a trace that is compressed. */
struct json_numbers json_numbers_begin(bool packed);
void json_numbers_release(struct json_numbers *n);
/* Those of a trace, whose files share them: a text is the same process in each. */
struct json_numbers *json_numbers_of(struct trace *t, bool packed);

/* The number of a text, which it takes now if it is new. Names, categories and ids take one, too.
 */
int64_t json_number_of(struct json_numbers *n, struct str text);
/* What the member of that name, an object, says. */
void json_numbers_read(struct json_numbers *n, struct str object);

#endif
