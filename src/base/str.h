/* A view of bytes that somebody else owns; not NUL-terminated, not necessarily UTF-8. */
#ifndef TPTUI_BASE_STR_H
#define TPTUI_BASE_STR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct str {
    const char *p;
    size_t n;
};

#define STR(literal) ((struct str){(literal), sizeof(literal) - 1})

static inline struct str str_from(const char *s)
{
    return (struct str){s, strlen(s)};
}

static inline bool str_eq(struct str a, struct str b)
{
    return a.n == b.n && (a.n == 0 || memcmp(a.p, b.p, a.n) == 0);
}

/* ASCII letters in whatever case are equal, other bytes as they are. The C library's functions ask
 * the locale, and a Turkish one says that I and i are different letters. */
static inline char lower_case(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c + ('a' - 'A')) : c;
}

/* Of texts that end in NUL, or of their first `n` bytes: below, at or above 0 as in strcmp. */
static inline int compare_any_case_n(const char *a, const char *b, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        unsigned char x = (unsigned char)lower_case(a[i]), y = (unsigned char)lower_case(b[i]);
        if (x != y || x == 0)
            return x - y;
    }
    return 0;
}

static inline int compare_any_case(const char *a, const char *b)
{
    return compare_any_case_n(a, b, SIZE_MAX);
}

static inline bool str_eq_any_case(struct str a, struct str b)
{
    return a.n == b.n && compare_any_case_n(a.p, b.p, a.n) == 0;
}

static inline bool str_starts(struct str s, struct str prefix)
{
    return s.n >= prefix.n && (prefix.n == 0 || memcmp(s.p, prefix.p, prefix.n) == 0);
}

static inline bool str_ends(struct str s, struct str suffix)
{
    return s.n >= suffix.n &&
           (suffix.n == 0 || memcmp(s.p + s.n - suffix.n, suffix.p, suffix.n) == 0);
}

/* Of a view without bytes, whose `p` may be NULL, also none. */
static inline struct str str_from_to(struct str s, size_t from, size_t to)
{
    return (struct str){from ? s.p + from : s.p, to - from};
}

static inline struct str str_skip(struct str s, size_t n)
{
    return (struct str){n ? s.p + n : s.p, s.n - n};
}

/* The index of the first `c`, or s.n where there is none. */
static inline size_t str_find(struct str s, char c)
{
    const char *hit = s.n ? memchr(s.p, c, s.n) : NULL;
    return hit ? (size_t)(hit - s.p) : s.n;
}

static inline bool str_is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* What fits of `s` in `size` bytes (at least one), with a NUL behind it. */
static inline void str_copy(struct str s, char *out, size_t size)
{
    size_t n = s.n < size ? s.n : size - 1;
    if (n > 0)
        memcpy(out, s.p, n);
    out[n] = '\0';
}

/* How many digits it begins with. */
static inline size_t str_count_digits(struct str s)
{
    size_t n = 0;
    while (n < s.n && str_is_digit(s.p[n]))
        n++;
    return n;
}

/* Blank within a line of text: a space, a tab, or the \r of a line that ends in \r\n. */
static inline bool str_is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

/* `s` without the blanks around it. */
static inline struct str str_trim(struct str s)
{
    while (s.n && str_is_blank(*s.p))
        s = str_skip(s, 1);
    while (s.n && str_is_blank(s.p[s.n - 1]))
        s.n--;
    return s;
}

/* The same without the ends of lines around it. */
static inline struct str str_trim_lines(struct str s)
{
    while (s.n && (str_is_blank(*s.p) || *s.p == '\n'))
        s = str_skip(s, 1);
    while (s.n && (str_is_blank(s.p[s.n - 1]) || s.p[s.n - 1] == '\n'))
        s.n--;
    return s;
}

/* What follows the byte at `at`; empty where that is the end, as where str_find found none. */
static inline struct str str_behind(struct str s, size_t at)
{
    return str_skip(s, at < s.n ? at + 1 : at);
}

/* Cuts off what stands before the first `c`, all where there is none; what follows stays. */
static inline struct str str_cut(struct str *rest, char c)
{
    size_t n = str_find(*rest, c);
    struct str part = str_from_to(*rest, 0, n);
    *rest = str_behind(*rest, n);
    return part;
}

/* Cuts the next line off `rest`, without its newline; false at the end. The last one may lack its
 * newline; behind a newline at the very end there is none. */
static inline bool str_next_line(struct str *rest, struct str *line)
{
    if (rest->n == 0)
        return false;
    *line = str_cut(rest, '\n');
    return true;
}

/* Cuts the next word off, what stands between blanks; empty at the end. */
static inline struct str str_take_word(struct str *rest)
{
    size_t from = 0;
    while (from < rest->n && str_is_blank(rest->p[from]))
        from++;
    size_t to = from;
    while (to < rest->n && !str_is_blank(rest->p[to]))
        to++;
    struct str word = str_from_to(*rest, from, to);
    *rest = str_skip(*rest, to);
    return word;
}

/* The whole view as a number, false where it is not one or does not fit. No white space. */
bool str_to_i64(struct str s, int64_t *out);            /* decimal, optional sign */
bool str_to_u64(struct str s, int base, uint64_t *out); /* base 10 or 16, 16 allows 0x */
bool str_to_f64(struct str s, double *out);             /* "1.5", "-2e3"; no inf or nan */

#endif
