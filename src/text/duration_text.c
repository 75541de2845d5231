#include "text/duration_text.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

struct unit {
    int64_t ns;
    const char *name;
};

static const struct unit units[] = {
    {1000000000, "s"},
    {1000000, "ms"},
    {1000, "us"},
    {1, "ns"},
};

static struct unit unit_for(uint64_t ns)
{
    for (size_t i = 0; i + 1 < sizeof units / sizeof *units; i++)
        if (ns >= (uint64_t)units[i].ns)
            return units[i];
    return (struct unit){1, "ns"};
}

/* From an hour on: recordings of a day have such durations, whose seconds nobody divides. */
static void format_hours(char *out, size_t size, const char *sign, uint64_t seconds)
{
    snprintf(out, size, "%s%" PRIu64 "h %02" PRIu64 "m %02" PRIu64 "s", sign, seconds / 3600,
             seconds / 60 % 60, seconds % 60);
}

static void format_scaled(char *out, size_t size, int64_t ns, bool trim)
{
    uint64_t m = ns < 0 ? UINT64_C(0) - (uint64_t)ns : (uint64_t)ns;
    struct unit u = unit_for(m);
    uint64_t whole = m / (uint64_t)u.ns, part = m % (uint64_t)u.ns * 1000 / (uint64_t)u.ns;
    const char *sign = ns < 0 ? "-" : "";
    if (m / 1000000000 >= 3600)
        format_hours(out, size, sign, m / 1000000000);
    else if (u.ns == 1 || (trim && part == 0))
        snprintf(out, size, "%s%" PRIu64 " %s", sign, whole, u.name);
    else
        snprintf(out, size, "%s%" PRIu64 ".%03" PRIu64 " %s", sign, whole, part, u.name);
}

void format_dur(char *out, size_t size, int64_t ns)
{
    format_scaled(out, size, ns, false);
}

void format_dur_short(char *out, size_t size, int64_t ns)
{
    format_scaled(out, size, ns, true);
}

static bool ends_with_dur(const char *name, size_t n)
{
    return n >= 3 && strncmp(name + n - 3, "dur", 3) == 0 && (n == 3 || strchr("_(.", name[n - 4]));
}

bool name_is_of_durations(const char *name)
{
    size_t n = strlen(name);
    bool is_call = n > 0 && name[n - 1] == ')' && strncmp(name, "count(", 6) != 0;
    return ends_with_dur(name, is_call ? n - 1 : n);
}

static bool is_called(const char *name, const char *word)
{
    size_t n = strlen(name), w = strlen(word);
    return strcmp(name, word) == 0 ||
           (n > w && name[n - w - 1] == '_' && strcmp(name + n - w, word) == 0);
}

bool name_is_of_times(const char *name)
{
    return is_called(name, "ts") || is_called(name, "ts_end");
}
