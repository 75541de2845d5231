/* Numbers of JSON in their plain form, read while they are found. */
#ifndef TPTUI_PARSERS_INPUT_JSON_NUMBER_H
#define TPTUI_PARSERS_INPUT_JSON_NUMBER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/str.h"

/* A sign, digits, a point and digits. */
struct json_decimal {
    bool negative, has_fraction;
    uint32_t digits; /* of the fraction */
    uint64_t whole, fraction;
};

/* Reads as much as is of that form; NULL where it is not, or has more digits than fit. Else where
 * it ends: what follows there decides whether that is all of the number. */
const char *json_decimal_read(const char *p, const char *end, struct json_decimal *out);

/* Without its fraction. */
static inline int64_t json_decimal_whole(const struct json_decimal *d)
{
    return d->negative ? -(int64_t)d->whole : (int64_t)d->whole;
}

/* See json_scan.h, where what they are for stands. */
double json_decimal_to_f64(const struct json_decimal *d);
bool json_decimal_us_to_ns(const struct json_decimal *d, int64_t *out);
bool json_text_to_i64(struct str text, int64_t *out);
bool json_text_to_f64(struct str text, double *out);
/* Behind a whole number it makes ns of us, exactly. */
#define JSON_NS_AS_US "e-3"
bool json_text_us_to_ns(struct str text, int64_t *out);

#endif
