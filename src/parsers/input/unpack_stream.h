/* What is compressed with gzip, zstd, xz or bzip2 and comes out of something that is unpacked
 * itself. One layer at a time: how much is between two of them is seen, and counted. */
#ifndef TPTUI_PARSERS_INPUT_UNPACK_STREAM_H
#define TPTUI_PARSERS_INPUT_UNPACK_STREAM_H

#include "parsers/input/byte_source.h"

/* Whether byte_source_unpacked unpacks what begins like this. */
bool unpack_stream_knows(struct bytes head);

/* What `packed`, whose window begins in such a way, becomes, with a window of `size` at first.
 * Takes `packed` over. What it becomes is taken off the budget, which may be NULL. */
struct byte_source byte_source_unpacked(struct byte_source packed, struct budget *budget,
                                        size_t size);

#endif
