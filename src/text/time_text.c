#include "text/time_text.h"

#include <math.h>

enum { TIMESTAMP_DIGITS = 12 };

/* A number without sign, of digits only. */
static bool read_whole(struct str s, int64_t *out)
{
    for (size_t i = 0; i < s.n; i++)
        if (s.p[i] < '0' || s.p[i] > '9')
            return false;
    return s.n > 0 && str_to_i64(s, out);
}

/* H:MM:SS or M:SS, with up to nine decimals, which may stand in groups: "12:00:00.435 284". */
static bool read_clock(struct str s, int64_t *ns)
{
    enum { LARGEST = 1000000 };
    size_t point = str_find(s, '.');
    struct str whole = str_from_to(s, 0, point);
    int64_t seconds = 0, part;
    int parts = 0;
    for (; whole.n > 0; parts++) {
        size_t end = str_find(whole, ':');
        if (parts == 3 || !read_whole(str_from_to(whole, 0, end), &part) ||
            part > (parts ? 59 : LARGEST))
            return false;
        seconds = seconds * 60 + part;
        whole = str_skip(whole, end < whole.n ? end + 1 : end);
    }
    *ns = 0;
    int64_t scale = 1000000000;
    for (size_t i = point + 1; i < s.n; i++) {
        if (s.p[i] == ' ')
            continue;
        if (s.p[i] < '0' || s.p[i] > '9' || scale == 1)
            return false;
        *ns += (s.p[i] - '0') * (scale /= 10);
    }
    *ns += seconds * 1000000000;
    return parts >= 2;
}

bool time_text_read(struct str s, struct time_text *out)
{
    static const struct {
        const char *name;
        double ns;
    } units[] = {{"ms", 1e6}, {"us", 1e3}, {"ns", 1}, {"s", 1e9}, {"min", 60e9}, {"h", 3600e9}};
    double scale = 1e6, value;
    bool has_unit = false;
    s = str_trim(s);
    for (size_t i = 0; i < sizeof units / sizeof *units && !has_unit; i++)
        if (str_ends(s, str_from(units[i].name))) {
            s.n -= strlen(units[i].name);
            scale = units[i].ns;
            has_unit = true;
        }
    s = str_trim(s);
    bool relative = s.n && (s.p[0] == '+' || s.p[0] == '-'), back = relative && s.p[0] == '-';
    if (relative)
        s = str_skip(s, 1);
    if (back && !has_unit && s.n >= TIMESTAMP_DIGITS && read_whole(s, &out->ns)) {
        out->ns = -out->ns;
        out->origin = TIME_OF_TRACE_CLOCK;
        return true;
    }
    out->origin = relative ? TIME_RELATIVE : TIME_FROM_START;
    if (!relative && !has_unit && s.n >= TIMESTAMP_DIGITS && str_to_i64(s, &out->ns)) {
        out->origin = TIME_OF_TRACE_CLOCK;
        return true;
    }
    if (!has_unit && str_find(s, ':') < s.n) {
        bool is_clock = read_clock(s, &out->ns);
        out->ns = back ? -out->ns : out->ns;
        return is_clock;
    }
    if (!str_to_f64(s, &value) || value * scale > 9e18 || !(value >= 0))
        return false;
    out->ns = llround(value * scale);
    if (back)
        out->ns = -out->ns;
    return true;
}
