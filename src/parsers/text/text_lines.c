#include "parsers/text/text_lines.h"

bool text_lines_read_at(struct byte_source *source,
                        void (*add)(void *self, struct str line, int64_t end), void *self)
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
        uint64_t before = source->stream ? source->unpacked - source->window.n : 0;
        used += n < rest.n ? n + 1 : n;
        add(self, str_from_to(rest, 0, n), (int64_t)(before + used));
        if (!byte_source_done(source, used))
            return false;
    }
}

struct plain {
    void (*add)(void *self, struct str line);
    void *self;
};

static void add_plain(void *self, struct str line, int64_t end)
{
    const struct plain *p = self;
    (void)end;
    p->add(p->self, line);
}

bool text_lines_read(struct byte_source *source, void (*add)(void *self, struct str line),
                     void *self)
{
    return text_lines_read_at(source, add_plain, &(struct plain){add, self});
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
