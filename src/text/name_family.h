/* Names that differ in numbers only are one family: "doFrame 42" is one of "doFrame N". A number is
 * a run of digits that stands behind no letter and no _: "H264" and "sys_202" have none, as what is
 * written like that are functions, each another. */
#ifndef TPTUI_TEXT_NAME_FAMILY_H
#define TPTUI_TEXT_NAME_FAMILY_H

#include "base/hash.h"
#include "base/str.h"

/* How many bytes the number has that begins at `at`; 0: none does. */
static inline size_t name_number_at(struct str name, size_t at)
{
    char before = at > 0 ? name.p[at - 1] : ' ';
    bool inside = str_is_digit(before) || before == '_' || (before >= 'a' && before <= 'z') ||
                  (before >= 'A' && before <= 'Z');
    return inside ? 0 : str_count_digits(str_skip(name, at));
}

static inline bool name_has_number(struct str name)
{
    for (size_t i = 0; i < name.n; i++)
        if (name_number_at(name, i) > 0)
            return true;
    return false;
}

/* The same for all names of a family and for what it is called, "doFrame N"; of others another, but
 * by chance. */
static inline uint64_t name_family_hash(struct str name)
{
    uint64_t h = 0;
    for (size_t i = 0; i < name.n;) {
        size_t digits = name_number_at(name, i);
        h = hash_mix(h, digits ? 'N' : (unsigned char)name.p[i]);
        i += digits ? digits : 1;
    }
    return h;
}

/* Writes the family's name, with "N" for each number; returns its bytes, at most `name.n`, for
 * which there is room in `out`. */
static inline size_t name_family_print(struct str name, char *out)
{
    size_t n = 0;
    for (size_t i = 0; i < name.n;) {
        size_t digits = name_number_at(name, i);
        out[n++] = digits ? 'N' : name.p[i];
        i += digits ? digits : 1;
    }
    return n;
}

#endif
