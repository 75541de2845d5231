/* All of a source, for those who read it back and forth: in a mapped file of base/unnamed_file, so
 * that the system may drop from memory what is not being read, or in memory where it is little, or
 * where there is no place on disk. */
#ifndef TPTUI_PARSERS_INPUT_UNPACKED_FILE_H
#define TPTUI_PARSERS_INPUT_UNPACKED_FILE_H

#include <stdbool.h>

#include "parsers/input/byte_source.h"

struct unpacked_file {
    struct bytes bytes;
    bool mapped;            /* else they are the source's window */
    bool cancelled, failed; /* no place was left on disk halfway: errno tells */
};

/* The source must last as long; nothing more can be read from it. unpacked_file_release must
 * follow. */
struct unpacked_file unpacked_file_make(struct byte_source *source);
void unpacked_file_release(struct unpacked_file *f);

#endif
