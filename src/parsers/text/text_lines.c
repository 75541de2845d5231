#include "parsers/text/text_lines.h"

#include "core/trace_builder.h"
#include "parsers/input/text_holes.h"
#include "parsers/input/trace_format.h"

size_t text_lines_cut_hole(struct str *text, struct str *before)
{
    static const char zeros[HOLE_LEAST];
    const char *at = text->n ? memmem(text->p, text->n, zeros, HOLE_LEAST) : NULL;
    size_t from = at ? (size_t)(at - text->p) : text->n, to = from;
    while (to < text->n && text->p[to] == 0)
        to++;
    *before = str_from_to(*text, 0, from);
    *text = str_skip(*text, to);
    return to - from;
}

/* A line in front of a hole has lost its end; what is behind one may be whole. */
static struct str skip_holes(struct trace *t, struct str line)
{
    if (line.n == 0 || !memchr(line.p, 0, line.n))
        return line;
    struct str before;
    size_t size;
    while ((size = text_lines_cut_hole(&line, &before)) > 0)
        stats_add(t, STAT_text_hole_bytes, STAT_SINGLE, (int64_t)(before.n + size));
    return before;
}

bool text_lines_read_at(struct trace *t, struct byte_source *source,
                        void (*add)(void *self, struct str line, int64_t end), void *self)
{
    const struct import_options *options = &t->builder->options;
    for (size_t used = 0;;) {
        struct str rest = {(const char *)source->window.p + used, source->window.n - used};
        size_t n = str_find(rest, '\n');
        if (n == rest.n && byte_source_more(source, used)) {
            used = 0;
            continue;
        }
        if (rest.n == 0 || (n == rest.n && (options->growing || options->head > 0)))
            return true;
        uint64_t before = source->stream ? source->unpacked - source->window.n : 0;
        used += n < rest.n ? n + 1 : n;
        struct str line = str_from_to(rest, 0, n), whole = skip_holes(t, line);
        if (whole.n == line.n || whole.n > 0)
            add(self, whole, (int64_t)(before + used));
        if (n == rest.n && str_trim(whole).n > 0)
            trace_format_ends_early(t);
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

bool text_lines_read(struct trace *t, struct byte_source *source,
                     void (*add)(void *self, struct str line), void *self)
{
    return text_lines_read_at(t, source, add_plain, &(struct plain){add, self});
}

void text_lines_unread(struct trace *t, struct str line)
{
    line = str_trim(line);
    if (line.n > 0 && *line.p != '#' && !trace_format_is_prompt(line))
        stats_count(t, STAT_text_line_unread);
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
