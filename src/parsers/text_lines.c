#include "parsers/text_lines.h"

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
