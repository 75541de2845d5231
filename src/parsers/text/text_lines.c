#include "parsers/text/text_lines.h"

bool text_lines_read(struct byte_source *source, void (*add)(void *self, struct str line),
                     void *self)
{
    for (size_t used = 0;;) {
        struct str rest = {(const char *)source->window.p + used, source->window.n - used};
        size_t n = str_find(rest, '\n');
        if (n == rest.n && byte_source_more(source, used)) {
            used = 0;
            continue;
        }
        if (rest.n == 0)
            return true;
        add(self, str_from_to(rest, 0, n));
        used += n < rest.n ? n + 1 : n;
        if (!byte_source_done(source, used))
            return false;
    }
}

bool text_seconds(struct str text, int64_t *ns)
{
    enum { DIGITS = 9 };
    size_t point = str_find(text, '.');
    uint64_t seconds, fraction = 0;
    if (point == text.n || !str_to_u64(str_from_to(text, 0, point), 10, &seconds) ||
        seconds > INT64_MAX / 2000000000)
        return false;
    struct str digits = str_skip(text, point + 1);
    if (digits.n == 0 || digits.n > DIGITS || !str_to_u64(digits, 10, &fraction))
        return false;
    for (size_t i = digits.n; i < DIGITS; i++)
        fraction *= 10;
    *ns = (int64_t)(seconds * 1000000000 + fraction);
    return true;
}
