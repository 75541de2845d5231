/* Bytes as base64 text (RFC 4648, with padding). */
#ifndef TPTUI_BASE_BASE64_H
#define TPTUI_BASE_BASE64_H

#include <stddef.h>
#include <stdint.h>

#include "base/str.h"

/* A new string whose `p` is for free(); NUL-terminated besides. */
struct str base64_encode(const uint8_t *bytes, size_t n);

#endif
