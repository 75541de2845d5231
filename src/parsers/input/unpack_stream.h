/* What is compressed with gzip, zstd, xz or bzip2, or is text of UTF-16, and comes out of something
 * that is unpacked itself. One layer at a time: how much is between two of them is seen, and
 * counted. */
#ifndef TPTUI_PARSERS_INPUT_UNPACK_STREAM_H
#define TPTUI_PARSERS_INPUT_UNPACK_STREAM_H

#include "parsers/input/byte_source.h"

/* How often a file may be packed, one time around the other. */
enum { LAYERS_MAX = 5 };

/* From the outermost on. */
struct packed_layers {
    enum compression kinds[LAYERS_MAX];
    int n;
};

/* What `packed`, whose window begins in such a way, becomes, with a window of `size` at first.
 * Takes `packed` over. What it becomes is taken off the budget, which may be NULL. */
struct byte_source byte_source_unpacked(struct byte_source packed, struct budget *budget,
                                        size_t size);
/* The same as often as there is something packed in it, which `layers` goes on with; it may be none
 * at all. */
struct byte_source byte_source_unpack_all(struct byte_source packed, struct budget *budget,
                                          size_t size, struct packed_layers *layers);

#endif
