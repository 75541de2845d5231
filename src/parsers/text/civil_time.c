#include "parsers/text/civil_time.h"

enum { FRACTION_DIGITS = 9, DAYS_PER_ERA = 146097, MARCH = 3 };

#define NS_PER_SECOND   INT64_C(1000000000)
#define SECONDS_PER_DAY INT64_C(86400)

/* So many digits, and what must follow; nothing is taken where they do not. */
static bool take_number(struct str *text, size_t digits, char end, uint32_t *out)
{
    uint64_t v;
    if (text->n <= digits || text->p[digits] != end ||
        !str_to_u64(str_from_to(*text, 0, digits), 10, &v))
        return false;
    *out = (uint32_t)v;
    *text = str_skip(*text, digits + 1);
    return true;
}

static int64_t take_fraction(struct str *text)
{
    int64_t ns = 0;
    size_t n = 0;
    for (; text->n && str_is_digit(*text->p); *text = str_skip(*text, 1), n++)
        if (n < FRACTION_DIGITS)
            ns = ns * 10 + (*text->p - '0');
    for (; n < FRACTION_DIGITS; n++)
        ns *= 10;
    return ns;
}

static int32_t take_zone(struct str *text)
{
    enum { ZONE = 5 };
    uint64_t v;
    if (text->n < ZONE || (*text->p != '+' && *text->p != '-') ||
        !str_to_u64(str_from_to(*text, 1, ZONE), 10, &v))
        return 0;
    int32_t minutes = (int32_t)(v / 100 * 60 + v % 100);
    minutes = *text->p == '-' ? -minutes : minutes;
    *text = str_skip(*text, ZONE);
    return minutes;
}

bool civil_time_take(struct str *text, struct civil_time *out)
{
    struct str s = *text;
    struct civil_time c = {.year = 0};
    uint32_t year;
    if (take_number(&s, 4, '-', &year))
        c.year = (int32_t)year;
    if (!take_number(&s, 2, '-', &c.month) || !take_number(&s, 2, ' ', &c.day))
        return false;
    while (s.n && str_is_blank(*s.p)) /* str_trim would look for the end each time */
        s = str_skip(s, 1);
    if (!take_number(&s, 2, ':', &c.hour) || !take_number(&s, 2, ':', &c.minute) ||
        !take_number(&s, 2, '.', &c.second))
        return false;
    if (c.month < 1 || c.month > 12 || c.day < 1 || c.day > 31 || c.hour > 24 || c.minute > 60 ||
        c.second > 61)
        return false;
    c.ns = take_fraction(&s);
    s = str_trim(s);
    c.zone_minute = take_zone(&s);
    *text = str_trim(s);
    *out = c;
    return true;
}

/* Years begin in March, so that the day that some lack is their last. */
static int64_t days_of(int32_t year, uint32_t month, uint32_t day)
{
    int64_t y = year - (month < MARCH);
    int64_t era = (y >= 0 ? y : y - 399) / 400;
    int64_t in_era = y - era * 400;
    int64_t of_year = (153 * ((int64_t)month + (month < MARCH ? 9 : -3)) + 2) / 5 + day - 1;
    return era * DAYS_PER_ERA + in_era * 365 + in_era / 4 - in_era / 100 + of_year - 719468;
}

int64_t civil_time_ns(const struct civil_time *c)
{
    int64_t minutes = c->hour * 60 + c->minute - (int64_t)c->zone_minute;
    int64_t seconds =
        days_of(c->year, c->month, c->day) * SECONDS_PER_DAY + minutes * 60 + c->second;
    int64_t ns;
    if (__builtin_mul_overflow(seconds, NS_PER_SECOND, &ns) ||
        __builtin_add_overflow(ns, c->ns, &ns))
        return 0;
    return ns;
}

int32_t civil_year(int64_t ns)
{
    int64_t days = ns / NS_PER_SECOND / SECONDS_PER_DAY;
    int32_t year = 1970 + (int32_t)(days / 366);
    while (days_of(year + 1, 1, 1) <= days)
        year++;
    return year;
}

bool civil_time_iso(struct str text, int64_t *ns)
{
    enum { TO_SECONDS = 19, LENGTH_MAX = 40 };
    char plain[LENGTH_MAX + 3];
    size_t n = TO_SECONDS;
    struct civil_time time;
    if (text.n < TO_SECONDS || text.n > LENGTH_MAX || text.p[10] != 'T')
        return false;
    memcpy(plain, text.p, TO_SECONDS);
    plain[10] = ' ';
    plain[n++] = '.';
    for (size_t i = TO_SECONDS + (text.n > TO_SECONDS && text.p[TO_SECONDS] == '.'); i < text.n;
         i++)
        if (text.p[i] != ':' && text.p[i] != 'Z')
            plain[n++] = text.p[i];
    struct str rest = {plain, n};
    if (!civil_time_take(&rest, &time) || time.year == 0 || rest.n > 0)
        return false;
    *ns = civil_time_ns(&time);
    return true;
}
