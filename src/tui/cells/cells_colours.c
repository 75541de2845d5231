/* The colours of a screen as text, for goldens. */
#include <stdio.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/vec.h"
#include "tui/cells/theme.h"

struct looks {
    VEC(struct role_style) v;
};

static bool same(struct role_style a, struct role_style b)
{
    return a.fg.index == b.fg.index && a.fg.rgb == b.fg.rgb && a.bg.index == b.bg.index &&
           a.bg.rgb == b.bg.rgb && a.attrs == b.attrs;
}

/* What stands for the look: a character of its own, in the order in which they come. */
static char letter_of(struct looks *looks, struct role_style s)
{
    enum { FIRST = '!', LAST = '~' };
    size_t i = 0;
    while (i < looks->v.count && !same(looks->v.items[i], s))
        i++;
    if (i == looks->v.count)
        *vec_push(&looks->v) = s;
    return i < LAST - FIRST ? (char)(FIRST + (int)i) : LAST; /* then several look the same */
}

static void put_colour(FILE *f, struct colour c)
{
    if (c.index == COLOUR_NONE)
        fputs(" -", f);
    else
        fprintf(f, " %d/#%06x", c.index, (unsigned)c.rgb);
}

static void put_look(FILE *f, char letter, struct role_style s)
{
    static const struct {
        uint8_t bit;
        const char *word;
    } attrs[] = {{CELL_BOLD, " bold"},
                 {CELL_REVERSE, " reverse"},
                 {CELL_UNDERLINE, " underline"},
                 {CELL_FAINT, " faint"}};
    fprintf(f, "%c =", letter);
    put_colour(f, s.fg);
    put_colour(f, s.bg);
    for (size_t i = 0; i < sizeof attrs / sizeof *attrs; i++)
        fputs(s.attrs & attrs[i].bit ? attrs[i].word : "", f);
    fputc('\n', f);
}

char *cells_colours(const struct cells *c, const struct theme *theme)
{
    struct looks looks = {0};
    char *text = NULL;
    size_t size;
    FILE *f = open_memstream(&text, &size);
    if (!f)
        return alloc_copy("", 0);
    for (int y = 0; y < c->height; y++) {
        for (int x = 0; x < c->width; x++)
            fputc(letter_of(&looks, theme_style(theme, *cells_at(c, x, y), DEPTH_RGB)), f);
        fputc('\n', f);
    }
    for (size_t i = 0; i < looks.v.count; i++)
        put_look(f, letter_of(&looks, looks.v.items[i]), looks.v.items[i]);
    fclose(f);
    vec_release(&looks.v);
    return text;
}
