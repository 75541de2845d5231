#include "tui/view/details.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/utf8.h"
#include "tui/view/details_parts.h"

enum { PIECES_MAX = 400 }; /* lines that one line may become */

void details_init(struct details *d)
{
    *d = (struct details){0};
    arena_init(&d->arena);
}

void details_release(struct details *d)
{
    vec_release(&d->left.v);
    vec_release(&d->right.v);
    arena_release(&d->arena);
}

void details_clear(struct details *d)
{
    arena_release(&d->arena);
    arena_init(&d->arena);
    d->left.v.count = d->right.v.count = 0;
    d->same_name = 0;
    d->kind = NULL;
}

struct detail_line *details_line(struct details *d, struct detail_list *list, struct event_ref jump)
{
    struct detail_line *line = vec_push(&list->v);
    *line = (struct detail_line){.segments = arena_alloc(&d->arena, (SEGMENTS_MAX + 2) *
                                                                        sizeof(struct segment)),
                                 .jump = jump};
    return line;
}

void details_put(struct details *d, struct detail_list *list, uint16_t role, const char *format,
                 ...)
{
    va_list args;
    va_start(args, format);
    int n = vsnprintf(NULL, 0, format, args);
    va_end(args);
    if (n <= 0 || list->v.count == 0)
        return;
    struct detail_line *line = &vec_last(&list->v);
    if (line->count == SEGMENTS_MAX)
        return;
    char *text = arena_alloc_bytes(&d->arena, (size_t)n + 1);
    va_start(args, format);
    vsnprintf(text, (size_t)n + 1, format, args);
    va_end(args);
    line->segments[line->count++] = (struct segment){role, {text, (size_t)n}};
}

int details_beside_width(int width)
{
    enum { WIDE = 110, LEAST = 56 };
    if (width < WIDE)
        return 0;
    return width * 2 / 5 > LEAST ? width * 2 / 5 : LEAST;
}

void details_wrap(struct details *d, struct detail_list *list, int width, int cells)
{
    enum { WRAPPED_AT = 14 }; /* segments */
    const struct detail_line *line = &vec_last(&list->v);
    int used = 0;
    for (int i = 0; i < line->count; i++)
        used += text_width(line->segments[i].text);
    if (used == 0 || (used + cells <= width && line->count + 3 <= WRAPPED_AT))
        return;
    details_line(d, list, NO_EVENT);
    details_put(d, list, ROLE_DEFAULT, "       ");
}

/* How much of `s` goes into `cells`: all, up to behind a blank, or, where there is none in its
 * second half, as much as fits. */
static size_t part_that_fits(struct str s, int cells)
{
    char glyph[TEXT_ESCAPE_MAX];
    size_t used = 0, blank = 0;
    while (used < s.n) {
        struct text_glyph g = text_escape_next(str_skip(s, used), glyph);
        if (g.width > cells)
            return blank > used / 2 ? blank : used;
        cells -= g.width;
        used += g.used;
        if (glyph[0] == ' ')
            blank = used;
    }
    return used;
}

static void copy_line(struct details *d, struct detail_list *to, const struct detail_line *line,
                      int width)
{
    struct detail_line *out = details_line(d, to, line->jump);
    int left = width, pieces = 0;
    for (int i = 0; i < line->count; i++) {
        struct str rest = line->segments[i].text;
        while (rest.n > 0) {
            size_t n = part_that_fits(rest, left);
            bool last = pieces == PIECES_MAX || (n == 0 && left >= width - 2 && left > 0);
            n = last ? rest.n : n;
            if (n > 0) {
                struct str part = str_from_to(rest, 0, n);
                out->segments[out->count++] = (struct segment){line->segments[i].role, part};
                left -= text_width(part);
                rest = str_skip(rest, n);
            }
            if (str_trim(rest).n == 0)
                break;
            out = details_line(d, to, line->jump);
            out->segments[out->count++] = (struct segment){ROLE_DEFAULT, STR("  ")};
            left = width - 2;
            pieces++;
        }
    }
}

/* Lines that are wider go on below, so that any text is there in full. */
static void wrap_lines(struct details *d, struct detail_list *list, int width)
{
    struct detail_list wrapped = {0};
    if (width < 8)
        return;
    for (size_t i = 0; i < list->v.count; i++)
        copy_line(d, &wrapped, &list->v.items[i], width);
    vec_release(&list->v);
    *list = wrapped;
}

void details_find_facts(struct details *d, const struct details_input *in)
{
    d->kind = in->cursor.event.kind;
    d->same_name = details_same_name(in).count;
}

void details_make(struct details *d, const struct details_input *in, const struct details_tab *tab)
{
    details_clear(d);
    details_find_facts(d, in);
    if (tab->add)
        tab->add(d, in);
    int beside = d->right.v.count > 0 ? details_beside_width(in->width) : 0;
    wrap_lines(d, &d->left, in->width - 2 - beside);
    wrap_lines(d, &d->right, beside - 2);
}
