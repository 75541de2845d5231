/* Text in UTF-16, as Windows' shell writes what programs print, made UTF-8 piece by piece; and text
 * in UTF-8 behind a mark that says so, as Windows' editors write it, without that. */
#ifndef TPTUI_PARSERS_INPUT_UTF16_H
#define TPTUI_PARSERS_INPUT_UTF16_H

#include <stdbool.h>

#include "parsers/input/bytes.h"

/* It begins with a mark of byte order. */
bool utf16_sniff(struct bytes data);

/* Zeros at the beginning. */
struct utf16_reader {
    uint8_t held[4]; /* bytes of the input that are no character yet: the mark, one or two units */
    size_t held_n;
    bool begun, is_utf8, is_big_endian; /* what the mark said */
    char pending[4];                    /* of the last character */
    size_t pending_from, pending_to;
};

/* Takes from the front of `in`, behind which nothing follows if it is the last, and writes up to
 * `room` (above 0) bytes; fewer only where all of `in` was taken. What is held behind the last is
 * half a unit. */
size_t utf16_read(struct utf16_reader *r, struct bytes *in, bool is_last, uint8_t *out,
                  size_t room);

#endif
