/* Files that are compressed as a whole: gzip and zstd. */
#ifndef TPTUI_PARSERS_INPUT_DECOMPRESS_H
#define TPTUI_PARSERS_INPUT_DECOMPRESS_H

#include <stdbool.h>

#include "parsers/input/bytes.h"
#include "parsers/input/progress.h"

/* Inflated bytes, owned: free(p). */
struct inflated {
    uint8_t *p;
    size_t n;
    /* False: the input is cut off or corrupt, or would become more than 256 MB and 128 times its
     * size; these are the bytes up to there. */
    bool whole;
    bool cancelled;
};

bool gzip_sniff(struct bytes data);
bool zstd_sniff(struct bytes data);
/* Progress counts input bytes. */
struct inflated gzip_inflate(struct bytes data, struct load_progress *progress);
struct inflated zstd_inflate(struct bytes data, struct load_progress *progress);

#endif
