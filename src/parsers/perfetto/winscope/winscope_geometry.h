/* Rectangles, and matrices that move, turn and scale them, as Winscope's messages have them. */
#ifndef TPTUI_PARSERS_PERFETTO_WINSCOPE_WINSCOPE_GEOMETRY_H
#define TPTUI_PARSERS_PERFETTO_WINSCOPE_WINSCOPE_GEOMETRY_H

#include <math.h>

#include "parsers/proto/wire.h"

struct box {
    double x, y, w, h;
};

/* (x, y) becomes (dsdx * x + dtdx * y + tx, dtdy * x + dsdy * y + ty). */
struct matrix {
    double dsdx, dtdx, tx, dtdy, dsdy, ty;
};

static const struct matrix matrix_identity = {.dsdx = 1, .dsdy = 1};

static inline struct box box_from_sides(double left, double top, double right, double bottom)
{
    return (struct box){left, top, right - left, bottom - top};
}

/* RectProto, FloatRectProto: left, top, right, bottom. */
static inline struct box box_read(struct pb_reader r)
{
    double sides[5] = {0};
    struct pb_field f;
    while (pb_next(&r, &f))
        if (f.number < 5)
            sides[f.number] = f.wire_type == PB_WIRE_VARINT ? pb_i32(&f) : pb_real(&f);
    return box_from_sides(sides[1], sides[2], sides[3], sides[4]);
}

/* Also where a side is not a number. */
static inline bool box_is_empty(const struct box *b)
{
    return !(b->w > 0 && b->h > 0);
}

static inline struct box box_cut(const struct box *a, const struct box *b)
{
    return box_from_sides(fmax(a->x, b->x), fmax(a->y, b->y), fmin(a->x + a->w, b->x + b->w),
                          fmin(a->y + a->h, b->y + b->h));
}

/* Places and sizes are compared to a hundredth of a pixel. */
static inline bool is_near(double a, double b)
{
    return fabs(a - b) < 0.01;
}

static inline bool box_is_near(const struct box *a, const struct box *b)
{
    return is_near(a->x, b->x) && is_near(a->y, b->y) && is_near(a->w, b->w) && is_near(a->h, b->h);
}

static inline bool is_at_most(double a, double b)
{
    return a <= b || is_near(a, b);
}

static inline bool box_contains(const struct box *outer, const struct box *inner)
{
    return !box_is_empty(outer) && is_at_most(outer->x, inner->x) &&
           is_at_most(outer->y, inner->y) && is_at_most(inner->x + inner->w, outer->x + outer->w) &&
           is_at_most(inner->y + inner->h, outer->y + outer->h);
}

static inline bool box_overlaps(const struct box *a, const struct box *b)
{
    struct box common = box_cut(a, b);
    return !box_is_empty(&common);
}

static inline struct box box_transform(const struct matrix *m, const struct box *b)
{
    double right = b->x + b->w, bottom = b->y + b->h;
    double x0 = m->dsdx * b->x + m->dtdx * b->y + m->tx;
    double y0 = m->dtdy * b->x + m->dsdy * b->y + m->ty;
    double x1 = m->dsdx * right + m->dtdx * bottom + m->tx;
    double y1 = m->dtdy * right + m->dsdy * bottom + m->ty;
    return box_from_sides(fmin(x0, x1), fmin(y0, y1), fmax(x0, x1), fmax(y0, y1));
}

static inline double matrix_determinant(const struct matrix *m)
{
    return m->dsdx * m->dsdy - m->dtdx * m->dtdy;
}

static inline bool matrix_is_valid(const struct matrix *m)
{
    return fabs(matrix_determinant(m)) >= 0.000001;
}

/* The inverse; of a matrix that has none, because it flattens everything, the identity. */
static inline struct matrix matrix_inverse(const struct matrix *m)
{
    if (!matrix_is_valid(m))
        return matrix_identity;
    double d = 1 / matrix_determinant(m);
    struct matrix i = {.dsdx = m->dsdy * d,
                       .dtdx = -m->dtdx * d,
                       .dtdy = -m->dtdy * d,
                       .dsdy = m->dsdx * d};
    i.tx = -(i.dsdx * m->tx + i.dtdx * m->ty);
    i.ty = -(i.dtdy * m->tx + i.dsdy * m->ty);
    return i;
}

#endif
