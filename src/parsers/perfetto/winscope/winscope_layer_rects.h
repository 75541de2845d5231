/* The rectangles of layers: where they are drawn, and where they take input. */
#ifndef TPTUI_PARSERS_PERFETTO_WINSCOPE_WINSCOPE_LAYER_RECTS_H
#define TPTUI_PARSERS_PERFETTO_WINSCOPE_WINSCOPE_LAYER_RECTS_H

#include "parsers/perfetto/winscope/winscope_layers.h"

/* Adds the rows of the layers' rectangles; their visibility must be known. */
void layer_rects_add(struct import *im, struct layers *all);

#endif
