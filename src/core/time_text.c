#include "core/time_text.h"

#include <math.h>

enum { TIMESTAMP_DIGITS = 12 };

bool time_text_read(struct str s, struct time_text *out)
{
    static const struct {
        const char *name;
        double ns;
    } units[] = {{"ms", 1e6}, {"us", 1e3}, {"ns", 1}, {"s", 1e9}};
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
    out->origin = relative ? TIME_RELATIVE : TIME_FROM_START;
    if (!relative && !has_unit && s.n >= TIMESTAMP_DIGITS && str_to_i64(s, &out->ns)) {
        out->origin = TIME_OF_TRACE_CLOCK;
        return true;
    }
    if (!str_to_f64(s, &value) || value * scale > 9e18 || !(value >= 0))
        return false;
    out->ns = llround(value * scale);
    if (back)
        out->ns = -out->ns;
    return true;
}
