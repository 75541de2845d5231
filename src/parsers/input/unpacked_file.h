/* All of a compressed file, for those who read it back and forth: in a mapped file of
 * base/unnamed_file, so that the system may drop from memory what is not being read, or in memory
 * where it is little, or where there is no place on disk. */
#ifndef TPTUI_PARSERS_INPUT_UNPACKED_FILE_H
#define TPTUI_PARSERS_INPUT_UNPACKED_FILE_H

#include <stdbool.h>

#include "parsers/input/bytes.h"
#include "parsers/input/decompress.h"
#include "parsers/input/progress.h"

struct unpacked_file {
    struct bytes bytes; /* as far as decompress_file_limit lets it grow */
    bool mapped, cancelled;
};

/* `progress`, which counts packed bytes, may be NULL. unpacked_file_release must follow. */
struct unpacked_file unpacked_file_make(enum compression kind, struct bytes data,
                                        struct load_progress *progress);
void unpacked_file_release(struct unpacked_file *f);

#endif
