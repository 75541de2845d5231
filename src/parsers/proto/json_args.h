/* JSON texts inside of events as args: members of objects as "key.member", elements of arrays as
 * "key[0]". Nulls and empty containers are not shown. */
#ifndef TPTUI_PARSERS_PROTO_JSON_ARGS_H
#define TPTUI_PARSERS_PROTO_JSON_ARGS_H

#include "parsers/proto/reflect.h"

/* How elements of arrays are numbered. */
enum json_elements {
    JSON_ELEMENTS_SHOWN,    /* those that are shown, on from what the arg set holds already */
    JSON_ELEMENTS_POSITION, /* by their place in the array */
};

/* Adds the values of the text below the current key; nothing where it is not JSON. */
void json_add_args(struct reflect *r, struct str text, enum json_elements elements);

#endif
