#include "parsers/input/trace_format.h"

enum { HEAD_BYTES = 4096 };

const struct trace_format *trace_format_detect(const struct trace_format *const *formats,
                                               struct bytes data)
{
    for (size_t i = 0; formats[i]; i++)
        if (formats[i]->sniff(data))
            return formats[i];
    return NULL;
}

struct str trace_format_head(struct bytes data)
{
    return (struct str){(const char *)data.p, data.n < HEAD_BYTES ? data.n : HEAD_BYTES};
}

struct str trace_format_skip_space(struct str s)
{
    while (s.n > 0 && (*s.p == ' ' || *s.p == '\t' || *s.p == '\r' || *s.p == '\n'))
        s = str_skip(s, 1);
    return s;
}
