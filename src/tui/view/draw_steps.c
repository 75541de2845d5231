#include "tui/view/draw_events.h"

static char32_t share_glyph(const struct scene *s, double share)
{
    int eighths = (int)(share * 8 + 0.5);
    return glyph_bar(eighths < 1 ? 1 : eighths > 8 ? 8 : eighths, s->look.ascii);
}

void draw_share(struct cells *c, int x, int y, const struct scene *s, double share, uint16_t role)
{
    if (share > 0)
        cells_put(c, x, y, share_glyph(s, share), role, 0);
}

void draw_owned_share(struct cells *c, int x, int y, const struct scene *s, double share,
                      uint16_t role)
{
    uint8_t attrs = s->look.mono ? 0 : CELL_SOLID;
    if (share > 0)
        cells_put(c, x, y, share_glyph(s, share), role, share < 0.05 ? attrs | CELL_FAINT : attrs);
}

uint16_t load_role(double share)
{
    static const double from[] = {0.05, 0.2, 0.5, 0.8};
    uint16_t step = 0;
    while (step < 4 && share >= from[step])
        step++;
    return (uint16_t)(ROLE_LOAD_1 + step);
}

/* Values fill every cell: a line shows one lane, whatever lies behind. */
void draw_steps(const struct event_canvas *on)
{
    const struct scene *s = on->scene;
    const struct steps *steps = source_steps(s->tl, s->tree, &on->sources[0]);
    const struct viewport *v = &s->viewport;
    uint32_t lane = on->sources[0].lane;
    if (steps->starts[lane] == steps->starts[lane + 1])
        return;
    struct value_range all = steps_range(steps, steps->starts[lane], steps->starts[lane + 1]);
    double low = all.min < 0 ? all.min : 0;
    for (int cell = 0; cell < v->width && all.max > low; cell++) {
        struct step_cell k =
            steps_cell(steps, lane, viewport_time(v, cell), viewport_time(v, cell + 1));
        if (k.known)
            draw_share(on->cells, on->area.x + cell, on->area.y, s,
                       (k.range.max - low) / (all.max - low), ROLE_COUNTER);
    }
}
