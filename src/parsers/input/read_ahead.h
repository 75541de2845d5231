/* A stream that another thread reads ahead: inflating goes on beside what is made of it. */
#ifndef TPTUI_PARSERS_INPUT_READ_AHEAD_H
#define TPTUI_PARSERS_INPUT_READ_AHEAD_H

#include "parsers/input/byte_source.h"

/* The same bytes as `inner`, which it owns from now on; `taken` and `cut` are those of the bytes
 * that were handed out. Without a second thread it is `inner` itself. Memory: two megabytes. */
struct byte_stream *read_ahead(struct byte_stream *inner);

#endif
