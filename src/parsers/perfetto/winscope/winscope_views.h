/* View captures: the tree of an app window's views. Names and texts are interned: among the args
 * they stand as themselves, under the key without `_iid`. */
#ifndef TPTUI_PARSERS_PERFETTO_WINSCOPE_WINSCOPE_VIEWS_H
#define TPTUI_PARSERS_PERFETTO_WINSCOPE_WINSCOPE_VIEWS_H

#include "parsers/input/bytes.h"

struct import;
struct packet;

/* A message of WinscopeExtensions in the packet. */
void viewcapture_parse(struct import *im, const struct packet *p, struct bytes message);

#endif
