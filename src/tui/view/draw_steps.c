#include "tui/view/draw_events.h"

void draw_share(struct cells *c, int x, int y, const struct scene *s, double share, uint16_t role)
{
    int eighths = (int)(share * 8 + 0.5);
    if (share <= 0)
        return;
    cells_put(c, x, y,
              glyph_bar(eighths < 1   ? 1
                        : eighths > 8 ? 8
                                      : eighths,
                        s->look.ascii),
              role, 0);
}

struct step_scale step_scale_of(const struct steps *steps, uint32_t lane)
{
    struct value_range all = steps_range(steps, steps->starts[lane], steps->starts[lane + 1]);
    return (struct step_scale){.low = all.min < 0 ? all.min : 0, .high = all.max};
}

void draw_levels(struct cells *c, struct rect area, const struct scene *s,
                 const struct steps *steps, uint32_t lane, struct step_scale scale)
{
    const struct viewport *v = &s->viewport;
    double size = scale.high - scale.low;
    for (int cell = 0; cell < v->width && size > 0; cell++) {
        struct step_cell k =
            steps_cell(steps, lane, viewport_time(v, cell), viewport_time(v, cell + 1));
        if (!k.known)
            continue;
        double level = scale.level ? scale.level(s->tl, lane, k.range.max) : k.range.max;
        if (scale.level && level == 0) /* the largest value may be the lowest level */
            level = scale.level(s->tl, lane, k.range.min);
        draw_share(c, area.x + cell, area.y, s, (level - scale.low) / size, ROLE_COUNTER);
    }
}

void draw_steps(struct cells *c, struct rect area, const struct scene *s, const struct row *row,
                const struct event_source *sources, int count, int min_width)
{
    const struct steps *steps = source_steps(s->tl, s->tree, &sources[0]);
    uint32_t lane = sources[0].lane;
    (void)row, (void)count, (void)min_width; /* values fill every cell */
    if (steps->starts[lane] < steps->starts[lane + 1])
        draw_levels(c, area, s, steps, lane, step_scale_of(steps, lane));
}
