/* The libraries that undo compression, step by step: what decompress.h, whose input is in memory,
 * and unpack_stream.h, whose input comes out of something else, go through. */
#ifndef TPTUI_PARSERS_INPUT_CODEC_H
#define TPTUI_PARSERS_INPUT_CODEC_H

#include <stdbool.h>

#include "parsers/input/decompress.h"

/* The state of a library. */
struct codec;

/* Pieces of both sides; a step moves them on. */
struct codec_piece {
    const uint8_t *in;
    size_t in_left;
    uint8_t *out;
    size_t out_left;
    bool is_last; /* nothing follows `in` */
};

/* A step that moves nothing on can go on no more. */
enum codec_step { CODEC_MORE, CODEC_ENDED, CODEC_FAILED };

/* Of anything but COMPRESSION_NONE; NULL where the library has no memory. Check sums of gzip are
 * not looked at: a wrong one is no reason to lose what can be read. */
struct codec *codec_new(enum compression kind);
void codec_free(struct codec *c); /* takes NULL */
/* Pieces of a megabyte at most. */
enum codec_step codec_step(struct codec *c, struct codec_piece *p);
/* The bytes in front of what follows the end of a stream that are to be passed over. */
size_t codec_padding(enum compression kind, struct bytes rest);
/* Whether what follows the end of a stream is another one. */
bool codec_follows(enum compression kind, struct bytes rest);
/* For the one behind the end of one; false as codec_new. */
bool codec_begin_next(struct codec *c);

#endif
