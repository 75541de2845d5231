/* Which layers can be seen, and why not: by what they are themselves, and by what is in front of
 * them. */
#ifndef TPTUI_PARSERS_PERFETTO_WINSCOPE_WINSCOPE_LAYER_VISIBILITY_H
#define TPTUI_PARSERS_PERFETTO_WINSCOPE_WINSCOPE_LAYER_VISIBILITY_H

#include "parsers/perfetto/winscope/winscope_layers.h"

/* Sets `visible` of the layers that are drawn, and their args: why one is not visible, and which
 * others are in front of it. */
void layers_look(struct import *im, struct layers *all);

#endif
