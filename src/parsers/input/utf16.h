/* Text in UTF-16, as Windows' shell writes what programs print, made UTF-8 piece by piece; and text
 * in UTF-8 behind a mark that says so, as Windows' editors write it, without that. */
#ifndef TPTUI_PARSERS_INPUT_UTF16_H
#define TPTUI_PARSERS_INPUT_UTF16_H

#include <stdbool.h>

#include "parsers/input/bytes.h"

/* It begins with a mark of byte order. */
bool utf16_sniff(struct bytes data);

struct utf16_reader {
    struct bytes input;
    size_t taken;    /* bytes of the input so far */
    char pending[4]; /* of the last character */
    size_t pending_from, pending_to;
};

/* `input` must outlive the reader. */
struct utf16_reader utf16_reader_begin(struct bytes input);
/* Writes up to `room` (above 0) bytes; fewer only at the end. */
size_t utf16_read(struct utf16_reader *r, uint8_t *out, size_t room);

#endif
