/* Which heading the tracks of a type stand under that belong to no process and no thread. */
#ifndef TPTUI_TUI_VIEW_TRACK_GROUPS_H
#define TPTUI_TUI_VIEW_TRACK_GROUPS_H

#include "base/str.h"

/* "Power", "Memory" ...; "Other tracks" for types not known here. */
const char *track_group_name(struct str type);

#endif
