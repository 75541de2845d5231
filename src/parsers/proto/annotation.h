/* Debug annotations as args, on the stack of reflect.c: their proto values are messages, and
 * messages hold annotations. */
#ifndef TPTUI_PARSERS_PROTO_ANNOTATION_H
#define TPTUI_PARSERS_PROTO_ANNOTATION_H

#include "parsers/proto/reflect.h"

/* Adds an annotation under the current key, or pushes it where it has parts. False where it has no
 * name, refers to what is not interned, or nests too deep. */
bool annotation_push(struct reflect *r, struct pb_reader annotation);

/* Goes on with the innermost dict or array. False as above. */
bool annotation_step(struct reflect *r);

#endif
