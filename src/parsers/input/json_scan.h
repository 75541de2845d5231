/* JSON, read value by value from a window of bytes. More forgiving than the standard: commas may
 * stand before a closing bracket. Nesting costs no stack. */
#ifndef TPTUI_PARSERS_INPUT_JSON_SCAN_H
#define TPTUI_PARSERS_INPUT_JSON_SCAN_H

#include <stdbool.h>
#include <stdint.h>

#include "base/little_endian.h"
#include "base/str.h"
#include "base/vec.h"
#include "parsers/input/json_number.h"

enum json_type {
    JSON_NULL,   /* also NaN and infinities */
    JSON_BOOL,   /* text is "true" or "false" */
    JSON_NUMBER, /* as written */
    JSON_STRING, /* without quotes and escapes; valid until the next string is read */
    JSON_OBJECT, /* whole, as written, with its brackets */
    JSON_ARRAY,
};

struct json_value {
    enum json_type type;
    bool spaced; /* objects and arrays: white space stands between their values */
    bool plain;  /* numbers: `decimal` says what they are */
    struct str text;
    struct json_decimal decimal;
};

struct json_scan {
    const char *p, *end;
    bool last;          /* nothing follows the window */
    bool ran_out;       /* why the last call failed: the window ended inside of a value */
    VEC(char) text;     /* of the last string that had escapes */
    VEC(char) squeezed; /* the last value of json_read_squeezed that had white space */
};

/* A scan of a whole text, behind the mark of byte order that it may begin with. */
static inline struct json_scan json_scan_from(struct str s)
{
    const char *p = s.n > 0 ? s.p : "";
    size_t mark = str_starts(s, STR("\xef\xbb\xbf")) ? 3 : 0;
    return (struct json_scan){.p = p + mark, .end = p + s.n, .last = true};
}

void json_scan_release(struct json_scan *j);

static inline bool json_is_space(char c)
{
    return c == ' ' || c == '\n' || c == '\t' || c == '\r';
}

/* Behind the white space at `p`: mostly none, or as much as a line is indented by. */
static inline const char *json_behind_space(const char *p, const char *end)
{
    while (p < end && json_is_space(*p)) {
        p++;
        for (; end - p >= 8; p += 8) {
            uint64_t word = load_le64(p) ^ UINT64_C(0x2020202020202020);
            if (word) {
                p += __builtin_ctzll(word) / 8;
                break;
            }
        }
    }
    return p;
}

/* The first quote or backslash, or `end`. */
const char *json_find_special(const char *p, const char *end);

static inline void json_skip_space(struct json_scan *j)
{
    j->p = json_behind_space(j->p, j->end);
}

/* Skips white space; takes `c` where it comes next. */
static inline bool json_take(struct json_scan *j, char c)
{
    json_skip_space(j);
    if (j->p >= j->end) {
        j->ran_out = true;
        return false;
    }
    if (*j->p != c)
        return false;
    j->p++;
    return true;
}

/* The rest of a string whose first quote was taken. */
bool json_read_string(struct json_scan *j, struct str *out);
/* The next value; an object or array is skipped as a whole. False where it is malformed or runs out
 * of the window (`ran_out`). */
bool json_read_value(struct json_scan *j, struct json_value *v);
/* The same, but the text of an object or array is without the white space around its values, so
 * that equal ones are equal bytes. It is valid until the next such call. */
bool json_read_squeezed(struct json_scan *j, struct json_value *v);

/* A key with its colon. False likewise. */
bool json_read_key(struct json_scan *j, struct str *key);
/* The members of an object, one a call: takes the key and the colon, the value comes next. `first`
 * says that only the '{' was taken before. False where no member follows: `*closed` tells whether
 * that is because of the '}', which was taken, or because the text is malformed or ran out. */
bool json_next_key(struct json_scan *j, bool first, struct str *key, bool *closed);
/* The elements of an array, after its '[', likewise: true where a value comes next. */
static inline bool json_next_element(struct json_scan *j, bool first, bool *closed)
{
    bool comma = !first && json_take(j, ',');
    *closed = json_take(j, ']');
    return !*closed && (first || comma);
}

/* The same with the value read; false also where that is malformed. */
static inline bool json_next_item(struct json_scan *j, bool first, struct json_value *v)
{
    bool closed;
    return json_next_element(j, first, &closed) && json_read_value(j, v);
}

/* json_read_value for who does not need it. */
bool json_skip_value(struct json_scan *j);
/* Where a value comes next: skips numbers and their commas as long as another number follows. Of
 * one that runs out of the window nothing is skipped. */
void json_skip_numbers(struct json_scan *j);

/* What a number, or a string that holds one, says; false where it is none. The whole part and the
 * fraction are read each by itself and added up, as Trace Processor does: the last bit may differ
 * from what strtod gives. */
static inline bool json_to_i64(struct json_value v, int64_t *out)
{
    if (v.type != JSON_NUMBER || !v.plain || v.decimal.has_fraction)
        return (v.type == JSON_NUMBER || v.type == JSON_STRING) && json_text_to_i64(v.text, out);
    *out = json_decimal_whole(&v.decimal);
    return true;
}

static inline bool json_to_f64(struct json_value v, double *out)
{
    if (v.type != JSON_NUMBER || !v.plain)
        return (v.type == JSON_NUMBER || v.type == JSON_STRING) && json_text_to_f64(v.text, out);
    *out = json_decimal_to_f64(&v.decimal);
    return true;
}

/* Microseconds as nanoseconds. Those with a fraction are rounded as a double, as Trace Processor
 * does, too: of times since 1970 little more than the microseconds is left. */
static inline bool json_us_to_ns(struct json_value v, int64_t *out)
{
    if (v.type == JSON_NUMBER && v.plain)
        return json_decimal_us_to_ns(&v.decimal, out);
    return (v.type == JSON_NUMBER || v.type == JSON_STRING) && json_text_us_to_ns(v.text, out);
}

#endif
