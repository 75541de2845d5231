/* JSON texts inside of events as args: members of objects as "key.member", elements of arrays as
 * "key[0]". Nulls and empty containers are not shown, and nulls not counted; where the set has
 * elements of an array with that key already, counting goes on behind them
 * (reflect_continue_arrays). */
#ifndef TPTUI_PARSERS_PROTO_JSON_ARGS_H
#define TPTUI_PARSERS_PROTO_JSON_ARGS_H

#include "parsers/proto/reflect.h"

/* Adds the values of the text below the current key; nothing where it is not JSON. */
void json_add_args(struct reflect *r, struct str text);

#endif
