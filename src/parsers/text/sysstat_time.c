#include "parsers/text/sysstat_time.h"

#include "text/time.h"
#include "parsers/text/civil_time.h"

#define NS_PER_SECOND INT64_C(1000000000)
#define NS_PER_DAY    (86400 * NS_PER_SECOND)

/* A number and the character that must follow it. */
static bool take_part(struct str *text, char end, uint32_t *out)
{
    uint64_t number;
    struct str rest = *text;
    if (!str_to_u64(str_cut(&rest, end), 10, &number) || number > UINT16_MAX)
        return false;
    *out = (uint32_t)number;
    *text = rest;
    return true;
}

bool sysstat_read_date(struct str text, int64_t *ns)
{
    enum { CENTURY = 2000 };
    struct civil_time c = {0};
    uint32_t year;
    bool iso = str_find(text, '-') == 4;
    bool read = iso ? take_part(&text, '-', &year) && take_part(&text, '-', &c.month) &&
                          take_part(&text, '-', &c.day)
                    : take_part(&text, '/', &c.month) && take_part(&text, '/', &c.day) &&
                          take_part(&text, '/', &year);
    if (!read || c.month < 1 || c.month > 12 || c.day < 1 || c.day > 31)
        return false;
    c.year = (int32_t)(year < 100 ? year + CENTURY : year);
    *ns = civil_time_ns(&c);
    return true;
}

bool sysstat_take_time(struct str *line, int64_t *ns, bool *of_day)
{
    enum { NOON = 12 };
    struct str time = str_take_word(line), rest = *line, half = str_take_word(&rest);
    uint32_t hour, minute, second;
    int64_t seconds;
    *of_day = str_find(time, ':') < time.n;
    if (!*of_day) {
        *ns = 0;
        return str_to_i64(time, &seconds) && seconds >= 0 &&
               !__builtin_mul_overflow(seconds, NS_PER_SECOND, ns);
    }
    if (!take_part(&time, ':', &hour) || !take_part(&time, ':', &minute) ||
        !take_part(&time, ':', &second) || hour > 24 || minute > 60 || second > 61)
        return false;
    bool am = str_eq(half, STR("AM")), pm = str_eq(half, STR("PM"));
    if (am || pm) {
        hour = hour % NOON + (pm ? NOON : 0);
        *line = rest;
    }
    *ns = ((int64_t)hour * 3600 + minute * 60 + second) * NS_PER_SECOND;
    return true;
}

int64_t sysstat_time_of(struct sysstat_day *day, int64_t ns_of_day)
{
    if (ns_of_day < day->last - NS_PER_DAY / 2) /* midnight */
        day->begin = time_plus(day->begin, NS_PER_DAY);
    day->last = ns_of_day;
    return time_plus(day->begin, ns_of_day);
}

bool sysstat_date_of_header(struct str line, int64_t *ns)
{
    if (!str_starts(line, STR("Linux ")))
        return false;
    for (struct str word; (word = str_take_word(&line)).n > 0;)
        if (sysstat_read_date(word, ns))
            return true;
    return false;
}
