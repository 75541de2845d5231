-- Rectangles that windows and layers cover, and how they are transformed.

-- Places, each once, in pixels.
CREATE PERFETTO VIEW android_winscope_rect(
  -- Number of the place.
  id LONG,
  -- Left side.
  x DOUBLE,
  -- Top side.
  y DOUBLE,
  -- Width.
  w DOUBLE,
  -- Height.
  h DOUBLE
) AS
SELECT id, x, y, w, h
FROM __intrinsic_winscope_rect;

-- Transforms, each once: (x, y) becomes (dsdx * x + dtdx * y + tx, dtdy * x + dsdy * y + ty).
CREATE PERFETTO VIEW android_winscope_transform(
  -- Number of the transform.
  id LONG,
  -- What of x is added to x.
  dsdx DOUBLE,
  -- What of y is added to x.
  dtdx DOUBLE,
  -- Pixels that are added to x.
  tx DOUBLE,
  -- What of x is added to y.
  dtdy DOUBLE,
  -- What of y is added to y.
  dsdy DOUBLE,
  -- Pixels that are added to y.
  ty DOUBLE
) AS
SELECT id, dsdx, dtdx, tx, dtdy, dsdy, ty
FROM __intrinsic_winscope_transform;

-- Rectangles as they are drawn: of displays, layers, windows, views and where input goes.
CREATE PERFETTO VIEW android_winscope_trace_rect(
  -- Number of the rectangle.
  id LONG,
  -- Place of the rectangle before it is transformed (joins android_winscope_rect.id).
  rect_id LONG,
  -- What the rectangle is drawn in: the layer stack, for windows the display.
  group_id LONG,
  -- Order within the group; higher ones are in front.
  depth LONG,
  -- 1 if the rectangle gets input without taking it from others.
  is_spy LONG,
  -- 1 if the rectangle is visible.
  is_visible LONG,
  -- Opacity, from 0 to 1; NULL if not told.
  opacity DOUBLE,
  -- Transform of the rectangle (joins android_winscope_transform.id).
  transform_id LONG,
  -- Width of the border in pixels; NULL without one.
  border_width LONG,
  -- Colour of the border; NULL without one.
  border_color DOUBLE
) AS
SELECT id, rect_id, group_id, depth, is_spy, is_visible, opacity, transform_id, border_width,
  border_color
FROM __intrinsic_winscope_trace_rect;
