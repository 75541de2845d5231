/* Walks over what a JSON document says, for formats that need it as a whole. */
#ifndef TPTUI_PARSERS_INPUT_JSON_DOCUMENT_H
#define TPTUI_PARSERS_INPUT_JSON_DOCUMENT_H

#include "base/vec.h"
#include "parsers/input/json_scan.h"

/* Calls `take` with each member of an object; the key and the value are valid during the call. What
 * is no object has none. False where it is malformed behind the last of them. */
bool json_members(struct json_value object, void *self,
                  void (*take)(void *self, struct str key, struct json_value v));
/* The same with the elements of an array. */
bool json_items(struct json_value array, void *self, void (*take)(void *self, struct json_value v));

/* Whether a text is one JSON value and nothing else. What is between the brackets of a value that
 * others skip may be anything. */
bool json_is_sound(struct str text);

struct json_closed {
    VEC(char) v;
};

/* The object or array that a file begins with, behind a mark of byte order. One that was cut off is
 * closed in `closed`: behind the last object, array or element of an array that is whole, with the
 * brackets that lack; `*whole` says whether it was not, and json_is_sound. JSON_NULL where there is
 * neither. */
struct json_value json_document(struct str text, struct json_closed *closed, bool *whole);

/* The text of such a document, closed where it was cut off; what is none stays as it is. */
struct str json_document_text(struct str text, struct json_closed *closed, bool *whole);

#endif
