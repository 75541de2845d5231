/* The window manager's state: a tree of containers, from the root over displays and tasks to
 * windows. Each container is a row whose args are its message without what is below it. */
#ifndef TPTUI_PARSERS_PERFETTO_WINSCOPE_WINSCOPE_WINDOWS_H
#define TPTUI_PARSERS_PERFETTO_WINSCOPE_WINSCOPE_WINDOWS_H

#include "parsers/input/bytes.h"

struct import;
struct packet;

/* A message of WinscopeExtensions in the packet. */
void windowmanager_parse(struct import *im, const struct packet *p, struct bytes message);

#endif
