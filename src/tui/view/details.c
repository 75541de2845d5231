#include "tui/view/details.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/utf8.h"
#include "tui/view/details_parts.h"

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
    *line = (struct detail_line){.segments =
                                     arena_alloc(&d->arena, SEGMENTS_MAX * sizeof(struct segment)),
                                 .jump = jump};
    return line;
}

void details_put(struct details *d, struct detail_list *list, uint16_t role, const char *format,
                 ...)
{
    char text[512];
    va_list args;
    va_start(args, format);
    int n = vsnprintf(text, sizeof text, format, args);
    va_end(args);
    if (n <= 0 || list->v.count == 0)
        return;
    size_t size = (size_t)n < sizeof text ? (size_t)n : sizeof text - 1;
    struct detail_line *line = &vec_last(&list->v);
    if (line->count == SEGMENTS_MAX)
        return;
    char *copy = arena_alloc_bytes(&d->arena, size);
    memcpy(copy, text, size);
    line->segments[line->count++] = (struct segment){role, {copy, size}};
}

void details_wrap(struct details *d, struct detail_list *list, int width, int cells)
{
    const struct detail_line *line = &vec_last(&list->v);
    int used = 0;
    for (int i = 0; i < line->count; i++)
        used += text_width(line->segments[i].text);
    if (used == 0 || (used + cells <= width && line->count + 3 <= SEGMENTS_MAX))
        return;
    details_line(d, list, NO_EVENT);
    details_put(d, list, ROLE_DEFAULT, "       ");
}

void details_make(struct details *d, const struct details_input *in, const struct details_tab *tab)
{
    details_clear(d);
    d->kind = in->cursor.event.kind;
    d->same_name = details_same_name(in).count;
    if (tab->add)
        tab->add(d, in);
}
