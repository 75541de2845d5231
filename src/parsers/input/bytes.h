/* A view of bytes that belong to somebody else; base/little_endian.h has the numbers in them. */
#ifndef TPTUI_PARSERS_INPUT_BYTES_H
#define TPTUI_PARSERS_INPUT_BYTES_H

#include <stddef.h>
#include <stdint.h>

#include "base/little_endian.h"

struct bytes {
    const uint8_t *p; /* NULL: not there, where that differs from empty */
    size_t n;
};

#endif
