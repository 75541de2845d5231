/* What is unpacked or cut, for those who read all of it: in a mapped file of base/unnamed_file, so
 * that the system may drop from memory what is not being read, or in memory where it is little, or
 * where there is no place on disk. */
#ifndef TPTUI_PARSERS_INPUT_UNPACKED_FILE_H
#define TPTUI_PARSERS_INPUT_UNPACKED_FILE_H

#include <stdbool.h>

#include "base/vec.h"
#include "parsers/input/byte_source.h"

struct unpacked_file {
    struct bytes bytes;
    bool mapped;            /* else they are the source's window */
    bool cancelled, failed; /* no place was left on disk halfway: errno tells */
};

/* All of a source, which must last as long; nothing more can be read from it. unpacked_file_release
 * must follow. */
struct unpacked_file unpacked_file_make(struct byte_source *source);

/* The same bit by bit. A zeroed one is empty. */
struct growing_file {
    VEC(uint8_t) bytes; /* in memory: those that are not in the file */
    int fd_plus_one;    /* 0: no file yet */
    size_t size;        /* of the file */
    bool without;       /* there is no place for one */
};

/* False where no place was left on disk: errno tells. */
bool growing_file_write(struct growing_file *g, const void *p, size_t n);
/* What was written, which lasts as long as `g`; unpacked_file_release must follow. */
struct unpacked_file growing_file_end(struct growing_file *g);
void growing_file_release(struct growing_file *g);

void unpacked_file_release(struct unpacked_file *f);

#endif
